import { describe, expect, it } from 'vitest'
import { corpora } from '../oracle/corpora.ts'
import { gemma3 } from '../oracle/gemma3.ts'
import { KINDS, pieceOf } from '../oracle/hostile-texts.ts'
import { randomOf } from '../oracle/random.ts'
import { searches, searchUnderestimate } from '../oracle/search-underestimates.ts'
import { estimateTextTokens } from './estimate-text-tokens.ts'

const tokens = gemma3()

describe('the estimate of a text against the tokenizer', () => {
  it.each(corpora().map((corpus) => [corpus.name, corpus] as const))('is not below it, and close, on %s', (_name, corpus) => {
    const ratio = estimateTextTokens(corpus.text) / tokens(corpus.text)
    expect(ratio).toBeGreaterThanOrEqual(1)
    expect(ratio).toBeLessThanOrEqual(corpus.atMost ?? 2.5)
  })

  it.each(searches().map((search) => [search.name, search.kinds] as const))(
    'withstands a search for too little in %s',
    (_name, kinds) => {
      for (const seed of [1, 2, 3]) {
        const deps = { estimate: estimateTextTokens, tokens, random: randomOf(seed) }
        const found = searchUnderestimate(deps, { kinds, pieces: 3 + seed * 2, steps: 120 })
        expect(found.ratio, JSON.stringify(found.text)).toBeGreaterThanOrEqual(0.95)
      }
    },
  )
})

describe('the estimate of a text', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['Hello world', 2],
    ['getElementById', 5],
    ['12345', 5],
    ['1 2 3', 5],
    [' ', 1],
    [' a', 1],
    [' 1', 2],
    ['   return', 2],
    [' '.repeat(31), 1],
    [' '.repeat(32), 2],
    ['\n'.repeat(62), 2],
    [' \t \t', 4],
    ['\r\n', 2],
    ['\ud800', 3],
    ['-'.repeat(64), 4],
    ['漢字', 2],
    ['\u{20001}', 4],
    // g q ldaa l q: only with a piece of four are there so many, because gql has fewer pieces than gq.
    ['gqldaalq', 5],
    ['gqldamtq', 5],
    ['gqldbayv', 5],
  ])('of %j is %i', (text, expected) => {
    expect(estimateTextTokens(text)).toBe(expected)
  })

  it('is a whole number, and the same every time', () => {
    const random = randomOf(11)
    for (let round = 0; round < 2_000; round++) {
      const text = Array.from({ length: 1 + random.below(12) }, () => pieceOf(random.pick(KINDS), random)).join('')
      const estimate = estimateTextTokens(text)
      expect(Number.isSafeInteger(estimate)).toBe(true)
      expect(estimate, JSON.stringify(text)).toBe(estimateTextTokens(text))
    }
  })

  it('of a long text is that of its parts, each up to a digit', () => {
    const random = randomOf(17)
    const all = corpora()
    for (let round = 0; round < 40; round++) {
      const parts = Array.from({ length: 40 }, () => {
        const { text } = random.pick(all)
        const part = text.slice(random.below(text.length))
        return `${random.below(3) === 0 ? part : part.replaceAll(/[\s\d]/g, '')}${'é'.repeat(random.below(3_000))}1`
      })
      const sum = parts.reduce((tokens, part) => tokens + estimateTextTokens(part), 0)
      expect(estimateTextTokens(parts.join(''))).toBe(sum)
    }
  })

  it('of a run that is longer than what is read at a time is the same, whatever stands behind it', () => {
    const blanks = 5_000
    for (const blank of [' ', '\t', '\n']) {
      for (const behind of ['1', 'a', 'aB', '—', '"', 'é', '😀', '\ud83d', '\r', blank === '\n' ? '\t' : '\n']) {
        const sum = Math.ceil(blanks / 31) + estimateTextTokens(behind)
        expect(estimateTextTokens(blank.repeat(blanks) + behind), JSON.stringify([blank, behind])).toBe(sum)
      }
    }
    for (const run of ['a', 'aB', 'é', '"', '—', '😀', '\u{20001}', '\ud83d!']) {
      const long = run.repeat(5_000)
      for (const behind of ['1', '\n', '\t', '  ', ' 1', ' a', ' 😀']) {
        const sum = estimateTextTokens(long) + estimateTextTokens(behind)
        expect(estimateTextTokens(long + behind), JSON.stringify([run, behind])).toBe(sum)
        expect(estimateTextTokens(`1${long}${behind}`), JSON.stringify([run, behind])).toBe(sum + 1)
      }
    }
  })

  it('counts every character once, however long the runs are', () => {
    // A reader that goes back, or that calls itself for every character, would not come back from these.
    const size = 4_000_000
    expect(estimateTextTokens('a'.repeat(size))).toBeGreaterThan(size / 3)
    expect(estimateTextTokens('A'.repeat(size))).toBeGreaterThan(size / 3)
    expect(estimateTextTokens('aA'.repeat(size / 2))).toBeGreaterThanOrEqual(size / 2)
    expect(estimateTextTokens(' '.repeat(size))).toBe(Math.ceil(size / 31))
    expect(estimateTextTokens('\ud800'.repeat(size / 2))).toBeGreaterThan(0)
    expect(estimateTextTokens('\u{20001}'.repeat(size / 2))).toBe(2 * size)
    expect(estimateTextTokens('я'.repeat(size))).toBeGreaterThan(size / 3)
    expect(estimateTextTokens('"'.repeat(size))).toBe(size / 4)
  })
})
