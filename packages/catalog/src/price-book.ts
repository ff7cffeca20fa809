import type { TextModel } from '@turnpike/contracts'

/** USD per million tokens. Above `aboveInputTokens` a tier's rates hold for the whole request. */
export type TextRates = { input: string; output: string; tier?: { aboveInputTokens: number; input: string; output: string } }

/** What everything costs. Amounts are exact decimals of USD. */
export type PriceBook = {
  /** The day of the last change; the hash beside it in catalog_version follows by itself. */
  date: string
  serviceFeeBasisPoints: number
  minimumUsd: string
  text: Readonly<Record<TextModel, TextRates>>
  imageUsd: string
  speechPerThousandCharactersUsd: string
  transcriptionPerAudioHourUsd: string
  transcriptionBaseUsd: string
}

/** The prices that the product comes with: the one place to change when a price does. */
export const PUBLISHED_PRICES: PriceBook = {
  date: '2026-11-21',
  serviceFeeBasisPoints: 0,
  minimumUsd: '0.002',
  text: {
    'gm-3.6-flash': { input: '1.50', output: '9' },
    'gm-3.5-flash-lite': { input: '0.30', output: '2.50' },
    'gm-3.5-flash': { input: '1.50', output: '9' },
    'gm-3.1-flash-lite': { input: '0.25', output: '1.50' },
    'gm-2.5-flash': { input: '0.30', output: '2.50' },
    'gm-2.5-pro': { input: '1.25', output: '10', tier: { aboveInputTokens: 200_000, input: '2.50', output: '15' } },
    'gm-2.5-flash-lite': { input: '0.10', output: '0.40' },
  },
  imageUsd: '0.035',
  speechPerThousandCharactersUsd: '0.2205',
  transcriptionPerAudioHourUsd: '0.12',
  transcriptionBaseUsd: '0.005',
}

let current = PUBLISHED_PRICES

/** The prices of this process. */
export function prices(): PriceBook {
  return current
}

/** For a process at its start, and every thread of it, before anything is priced: the operator's own prices. */
export function usePrices(book: PriceBook): void {
  current = book
}
