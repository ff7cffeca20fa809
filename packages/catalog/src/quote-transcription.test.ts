import { expect, it } from 'vitest'
import { minimumTranscriptionPriceAtomic, quoteTranscription } from './quote-transcription.ts'

it.each([
  [1, 5_034n],
  [1_000, 5_034n],
  [1_001, 5_067n],
  [2_000, 5_067n],
  [3_000, 5_100n],
  [3_000_001, 105_034n],
  [3_600_000, 125_000n],
  [3_509_001, 122_000n],
  [3_510_000, 122_000n],
])('%i ms of audio cost %s atomic USDC: 0.005 and 0.12 an hour, by the begun second', (durationMs, amountAtomic) => {
  expect(quoteTranscription({ durationMs }).price.amountAtomic).toBe(amountAtomic)
})

it('says on the receipt what the price was computed from', () => {
  expect(quoteTranscription({ durationMs: 12_042 }).price.inputs).toEqual({
    billing_mode: 'fixed_request_audio_duration',
    audio_duration_ms: 12_042,
    billed_seconds: 13,
    price_per_audio_hour_usd: '0.12',
    base_price_usd: '0.005',
    service_fee_basis_points: 0,
  })
  expect(minimumTranscriptionPriceAtomic()).toBe(5_034n)
})
