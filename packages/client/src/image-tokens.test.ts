import { describe, expect, it } from 'vitest'
import { IMAGE_TOKENS, imageTokens } from './image-tokens.ts'

const of = (widthPx: number, heightPx: number) => imageTokens({ widthPx, heightPx })

describe('the tokens of an image', () => {
  it.each([
    [1, 1, 1_120],
    [384, 384, 1_120],
    [768, 768, 1_120], // 2 × 2 tiles of 512 pixels are 1,032 on 2.x
    [960, 540, 6 * 258],
    [1_024, 1_024, 1_120],
    [1_920, 1_080, 6 * 258],
    [3_072, 3_072, 16 * 258],
    [8_000, 8_000, 16 * 258],
    [16_384, 385, 12 * 258],
    [3_072, 384, 24 * 258],
    [3_072, 257, 24 * 258],
    [3_072, 256, 12 * 258],
  ])('%i by %i pixels are %i', (widthPx, heightPx, tokens) => {
    expect(of(widthPx, heightPx)).toBe(tokens)
    expect(of(heightPx, widthPx)).toBe(tokens)
  })

  it('are by URL what the dearest size comes to', () => {
    let most = 0
    for (let longer = 1; longer <= 3_072; longer++) {
      for (let shorter = 1; shorter <= longer; shorter += 1 + (longer % 7)) most = Math.max(most, of(longer, shorter))
    }
    for (let longer = 3_073; longer <= 16_384; longer += 61) {
      for (let shorter = 1; shorter <= longer; shorter += 11) most = Math.max(most, of(longer, shorter))
    }
    expect(most).toBe(IMAGE_TOKENS.by_url_tokens)
    expect(imageTokens('by_url')).toBe(most)
  })
})
