import { Pool } from 'undici'
import type { TextUpstream } from '../../call-first-available.ts'
import { RETRY_POLICY, type RetryPolicy, retryTransient } from '../../retry-transient.ts'
import { exchange } from '../exchange.ts'
import { classify } from './classify.ts'
import { writeRequest } from './write-request.ts'

export type GeminiOptions = {
  /** Origin with an optional path prefix, without /v1beta. */
  baseUrl: string
  apiKey: string
  /** One connection per call in flight; more calls than this wait for a connection. */
  maxConnections: number
  connectTimeoutMs?: number
  /** Without streaming the status comes when the answer is finished: this only backs up the caller's own deadline. */
  headersTimeoutMs?: number
  /** The longest silence inside a body. */
  bodyTimeoutMs?: number
  /** 65,536 tokens of text are under 1 MiB; the rest is room for what a model writes around them. */
  maxResponseBytes?: number
  retry?: RetryPolicy
  now?: () => number
  random?: () => number
}

/** Gemini's generateContent over pooled connections. */
export function openGemini(options: GeminiOptions): TextUpstream {
  const base = new URL(options.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const now = options.now ?? Date.now
  const maxResponseBytes = options.maxResponseBytes ?? 16 * 1024 * 1024
  const retry = { policy: options.retry ?? RETRY_POLICY, now, random: options.random ?? Math.random }
  const headers = { 'x-goog-api-key': options.apiKey, 'content-type': 'application/json' }
  const pool = new Pool(base.origin, {
    connections: options.maxConnections,
    // One call per connection: a lost connection then makes one call ambiguous, not all that shared it.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: options.connectTimeoutMs ?? 5_000 },
    headersTimeout: options.headersTimeoutMs ?? 600_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
  })
  return {
    async complete(target, request, limits) {
      if (request.turns.length === 0) {
        return { kind: 'refused', code: 'provider_rejected_request', reason: 'nothing_to_send' }
      }
      const path = `${prefix}/v1beta/models/${encodeURIComponent(target)}:generateContent`
      const body = Buffer.from(JSON.stringify(writeRequest(target, request)))
      return await retryTransient(retry, limits, async () =>
        classify(await exchange(pool, { path, headers, body, maxResponseBytes }, limits.signal), now()),
      )
    },
    async close() {
      await pool.close()
    },
  }
}
