import { CONTEXT_TOKENS, estimateInputTokens, MAX_OUTPUT_TOKENS, quoteText } from '@turnpike/catalog'
import { MAX_IMAGE_PIXELS, MAX_IMAGE_SIDE_PX, type PromptImage, TEXT_MODELS, type TextModel } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { readChatRequest } from './dialects/openai-chat/read-request.ts'
import type { Thinking } from './text/text-request.ts'
import { writeRequest } from './upstreams/gemini/write-request.ts'

// Whatever a client pays for it may use, and that never costs more than was charged. The costs stand here a second time, apart from
// the catalog: a price that is lowered by mistake is found, and a price of the upstream that rises has one more place to be changed in.

/** USD per million tokens in and out, thoughts included; from the upstream's price list. `above` holds for the whole request. */
type Cost = { input: string; output: string; above?: { inputTokens: number; input: string; output: string } }
const UPSTREAM_COSTS: Record<string, Cost> = {
  'gemini-2.5-flash-lite': { input: '0.10', output: '0.40' },
  'gemini-2.5-flash': { input: '0.30', output: '2.50' },
  'gemini-2.5-pro': { input: '1.25', output: '10.00', above: { inputTokens: 200_000, input: '2.50', output: '15.00' } },
  'gemini-3.1-flash-lite': { input: '0.25', output: '1.50' },
  'gemini-3.5-flash-lite': { input: '0.30', output: '2.50' },
  'gemini-3.5-flash': { input: '1.50', output: '9.00' },
  'gemini-3.8-flash': { input: '0.75', output: '3.75' },
}

/** What may stand behind a public model. 3.6 Flash has no price of its own in the list: the dearest of its line stands for it. */
const SERVED_BY: Record<TextModel, readonly string[]> = {
  'gm-2.5-flash-lite': ['gemini-2.5-flash-lite'],
  'gm-2.5-flash': ['gemini-2.5-flash'],
  'gm-2.5-pro': ['gemini-2.5-pro'],
  'gm-3.1-flash-lite': ['gemini-3.1-flash-lite'],
  'gm-3.5-flash-lite': ['gemini-3.5-flash-lite'],
  'gm-3.5-flash': ['gemini-3.5-flash'],
  'gm-3.6-flash': ['gemini-3.5-flash', 'gemini-3.8-flash'],
}

const INPUTS = [0, 1, 7, 10_000, 199_999, 200_000, 200_001, CONTEXT_TOKENS]
const CEILINGS = [1, 2, 127, 128, 129, 512, 513, 1_024, 8_192, 24_577, MAX_OUTPUT_TOKENS]

/** In millionths of an atomic unit of USDC: exact, because prices have at most two decimals. */
function costOf(target: string, inputTokens: number, outputTokens: number): bigint {
  const cost = UPSTREAM_COSTS[target]
  if (cost === undefined) throw new Error(`no cost of ${target}`)
  const { above } = cost
  const { input, output } = above !== undefined && inputTokens > above.inputTokens ? above : cost
  return BigInt(inputTokens) * perToken(input) + BigInt(outputTokens) * perToken(output)
}

function perToken(usdPerMillion: string): bigint {
  const [whole = '0', decimals = ''] = usdPerMillion.split('.')
  return BigInt(`${whole}${decimals.padEnd(6, '0')}`)
}

describe('every text model that is sold', () => {
  it('has an upstream whose cost is known', () => {
    expect(Object.keys(SERVED_BY).sort()).toEqual([...TEXT_MODELS].sort())
  })

  it.each(TEXT_MODELS)('%s costs no more than is charged, with every ceiling used to its end', (model) => {
    for (const inputTokens of INPUTS) {
      for (const maxTokens of CEILINGS) {
        const quote = quoteText(model, { inputTokens, maxTokens })
        if (!quote.ok) throw new Error(quote.code)
        for (const target of SERVED_BY[model]) {
          const costs = costOf(target, inputTokens, maxTokens)
          expect(costs, `${target} ${inputTokens} ${maxTokens}`).toBeLessThanOrEqual(quote.price.amountAtomic * 1_000_000n)
        }
      }
    }
  })

  it.each(TEXT_MODELS)('%s is told exactly the ceiling, and never to think beyond it', (model) => {
    const efforts = ['none', 'minimal', 'low', 'medium', 'high'] as const
    const wishes: Thinking[] = [
      { kind: 'minimum' },
      { kind: 'adaptive' },
      ...efforts.map((effort): Thinking => ({ kind: 'effort', effort })),
      ...[1, 1_024, 65_535, 1_000_000].map((tokens): Thinking => ({ kind: 'budget', tokens })),
    ]
    const asked = { model, messages: [{ role: 'user' as const, content: 'Hi' }], stream: false as const }
    for (const target of SERVED_BY[model]) {
      for (const maxTokens of CEILINGS) {
        for (const thinking of wishes) {
          const request = { ...readChatRequest({ ...asked, max_tokens: maxTokens }), thinking }
          const { generationConfig } = writeRequest(target, request)
          expect(generationConfig.maxOutputTokens).toBe(maxTokens)
          const config = generationConfig.thinkingConfig
          if (config === undefined || !('thinkingBudget' in config)) continue
          // 2.5 Pro thinks 128 tokens at least; there the ceiling ends it.
          const least = target === 'gemini-2.5-pro' ? 128 : 0
          expect(config.thinkingBudget).toBeLessThanOrEqual(Math.max(maxTokens - 1, least))
          if (thinking.kind === 'minimum') expect(config.thinkingBudget).toBe(least)
        }
      }
    }
  })
})

/** What the upstream bills for an image: 2.x a tile of 768 pixels at a time, after scaling to 3,072 a side; 3.x one figure for all. */
function billedImageTokens(widthPx: number, heightPx: number): number {
  const newer = 1_120
  if (widthPx <= 384 && heightPx <= 384) return Math.max(258, newer)
  const scale = Math.min(1, 3_072 / Math.max(widthPx, heightPx))
  const tiles = (sidePx: number) => Math.ceil((sidePx * scale) / 768)
  return Math.max(258 * tiles(widthPx) * tiles(heightPx), newer)
}

describe('an image in a request', () => {
  const charged = (...images: PromptImage[]) => {
    const counted = (some: PromptImage[]) => estimateInputTokens({ messages: 1, texts: [], json: [], images: some })
    return counted(images) - counted([])
  }
  const sides = [
    1,
    383,
    384,
    385,
    767,
    768,
    769,
    1_151,
    1_152,
    1_536,
    2_304,
    3_071,
    3_072,
    3_073,
    6_000,
    8_000,
    MAX_IMAGE_SIDE_PX,
  ]
  const sizes = sides.flatMap((widthPx) => sides.map((heightPx) => ({ widthPx, heightPx })))
  const allowed = sizes.filter(({ widthPx, heightPx }) => widthPx * heightPx <= MAX_IMAGE_PIXELS)

  it('is charged no less than it is billed, whatever its size', () => {
    const short = allowed.filter((size) => charged(size) < billedImageTokens(size.widthPx, size.heightPx))
    expect(short).toEqual([])
  })

  it('by URL is charged no less than any that may come of it', () => {
    const dearest = Math.max(...allowed.map(({ widthPx, heightPx }) => billedImageTokens(widthPx, heightPx)))
    expect(charged('by_url')).toBeGreaterThanOrEqual(dearest)
    for (const size of allowed) expect(charged('by_url')).toBeGreaterThanOrEqual(charged(size))
  })

  it('is charged as often as it is there', () => {
    expect(charged('by_url', 'by_url', { widthPx: 1, heightPx: 1 })).toBe(
      2 * charged('by_url') + charged({ widthPx: 1, heightPx: 1 }),
    )
  })
})
