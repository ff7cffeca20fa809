import { Pool } from 'undici'
import { RETRY_POLICY, type RetryPolicy } from '../retry-transient.ts'

export type UpstreamOptions = {
  /** Origin with an optional path prefix, without the version. */
  baseUrl: string
  apiKey: string
  /** One connection per call in flight; more calls than this wait for a connection. */
  maxConnections: number
  connectTimeoutMs?: number
  /** Without streaming the status comes when the answer is finished: this only backs up the caller's own deadline. */
  headersTimeoutMs?: number
  /** The longest silence inside a body. */
  bodyTimeoutMs?: number
  maxResponseBytes?: number
  retry?: RetryPolicy
  now?: () => number
  random?: () => number
}

export function openPool(options: UpstreamOptions): { pool: Pool; pathPrefix: string } {
  const base = new URL(options.baseUrl)
  const pool = new Pool(base.origin, {
    connections: options.maxConnections,
    // One call per connection: a lost connection then makes one call ambiguous, not all that shared it.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: options.connectTimeoutMs ?? 5_000 },
    headersTimeout: options.headersTimeoutMs ?? 600_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
  })
  return { pool, pathPrefix: base.pathname.replace(/\/+$/, '') }
}

export function retryDeps({ retry, now, random }: UpstreamOptions) {
  return { policy: retry ?? RETRY_POLICY, now: now ?? Date.now, random: random ?? Math.random }
}
