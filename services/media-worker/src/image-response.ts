import { IMAGE } from '@turnpike/catalog'
import { type EffectiveImageRequest, formatUsdc, type JobEvent } from '@turnpike/contracts'
import type { TokenUsage } from '@turnpike/providers'
import type { JobUsage } from '@turnpike/worker'
import type { HostedResult } from './host-result.ts'

const HOUR_MS = 3_600_000
const HOURS_PER_DAY = 24
export const IMAGE_RETENTION_MS = IMAGE.retentionHours * HOUR_MS

/** The body exactly as the client will get it, a replay of it included. The price is what the client was asked for. */
export function imageResponse(
  { model, amountAtomic }: Pick<JobEvent, 'model' | 'amountAtomic'>,
  request: EffectiveImageRequest,
  { bytes, url, expiresAtMs }: HostedResult & { bytes: Buffer },
): Record<string, unknown> {
  return {
    created: Math.floor((expiresAtMs - IMAGE_RETENTION_MS) / 1000),
    model,
    image_size: request.image_size,
    aspect_ratio: request.aspect_ratio,
    data: [
      {
        url,
        backed_up: true,
        url_expires_at: new Date(expiresAtMs).toISOString(),
        url_retention_days: IMAGE.retentionHours / HOURS_PER_DAY,
        ...(request.response_format === 'b64_json' ? { b64_json: bytes.toString('base64') } : {}),
      },
    ],
    price: { amount: formatUsdc(BigInt(amountAtomic)), currency: 'USD' },
  }
}

/** As it stands on the receipt. */
export function imageUsage(usage: TokenUsage): JobUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  }
}
