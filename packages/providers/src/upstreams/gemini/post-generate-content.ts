import type { CallLimits } from '../../provider-outcome.ts'
import { type Exchange, exchange } from '../exchange.ts'
import { openPool, type UpstreamOptions } from '../upstream-options.ts'

/** 65,536 tokens of text are under 1 MiB and a 1K image under 5 MiB; the rest is room for what a model puts around them. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

export type GenerateContent = {
  post(target: string, body: Buffer, limits: CallLimits): Promise<Exchange>
  close(): Promise<void>
}

/** generateContent over pooled connections, whatever it is to generate. */
export function openGenerateContent(options: UpstreamOptions): GenerateContent {
  const { pool, pathPrefix } = openPool(options)
  const maxResponseBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES
  const headers = { 'x-goog-api-key': options.apiKey, 'content-type': 'application/json' }
  return {
    post(target, body, limits) {
      const path = `${pathPrefix}/v1beta/models/${encodeURIComponent(target)}:generateContent`
      return exchange(pool, { path, headers, body, maxResponseBytes }, limits.signal)
    },
    close: () => pool.close(),
  }
}
