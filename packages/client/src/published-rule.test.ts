import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gemma3 } from '../oracle/gemma3.ts'
import { bitOf } from './character-classes.ts'
import {
  estimateInputTokens,
  estimateRequestTokens,
  estimateTextTokens,
  INPUT_TOKEN_ESTIMATE,
  INPUT_TOKEN_TABLES_PATH,
  INPUT_TOKEN_TABLES_SHA256,
  INPUT_TOKEN_TABLES_TEXT,
} from './index.ts'
import { INPUT_TOKEN_TABLES as tables } from './input-token-tables.ts'

const tokens = gemma3()
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const ANY = LOWER + LOWER.toUpperCase()
const FIRST = ` ${ANY}`

/** What does not come out as the tokenizer says, of cases that are each `[text, tokens]`. */
function wrong(cases: Iterable<readonly [string, number]>): string[] {
  const found: string[] = []
  for (const [text, expected] of cases) if (tokens(text) !== expected) found.push(JSON.stringify(text))
  return found
}

function entries(groups: Record<string, string>): (readonly [entry: string, digits: string])[] {
  return Object.entries(groups).flatMap(([digits, all]) => all.split(' ').map((entry) => [entry, digits] as const))
}

describe('the published tables', () => {
  it('stand at a path that holds their hash', () => {
    expect(createHash('sha256').update(INPUT_TOKEN_TABLES_TEXT).digest('hex')).toBe(INPUT_TOKEN_TABLES_SHA256)
    expect(INPUT_TOKEN_TABLES_PATH).toBe(`/v1/pricing/input-token-tables/${INPUT_TOKEN_TABLES_SHA256}`)
    expect(INPUT_TOKEN_ESTIMATE.tables).toEqual({ path: INPUT_TOKEN_TABLES_PATH, sha256: INPUT_TOKEN_TABLES_SHA256 })
    const file = readFileSync(join(import.meta.dirname, '../data/input-token-tables.json'), 'utf8')
    expect(JSON.parse(INPUT_TOKEN_TABLES_TEXT)).toEqual(JSON.parse(file))
  })

  it('price every word as the tokenizer does, in all six cases', () => {
    const words = entries(tables.words)
    expect(words.length).toBeGreaterThan(15_000)
    const cases = words.flatMap(([word, digits]) => {
      const capitalised = `${word[0]?.toUpperCase()}${word.slice(1)}`
      const forms = [word, capitalised, word.toUpperCase()].flatMap((form) => [` ${form}`, form])
      return forms.map((form, index) => [form, Number(digits[index])] as const)
    })
    expect(wrong(cases)).toEqual([])
  })

  it('price every other word and every run of symbols as the tokenizer does', () => {
    const both = [...entries(tables.other_words), ...entries(tables.symbols)]
    const cases = both.flatMap(([run, digits]) => [[` ${run}`, Number(digits[0])] as const, [run, Number(digits[1])] as const])
    expect(wrong(cases)).toEqual([])
  })

  it('list as pairs and triples only what the tokenizer merges', () => {
    const pairs = [...FIRST].flatMap((a, i) =>
      [...ANY].flatMap((b, j) => (bitOf(tables.letter_pairs, i * 52 + j) ? [[a + b, 1] as const] : [])),
    )
    const triples = [...FIRST].flatMap((a, i) =>
      [...LOWER].flatMap((b, j) =>
        [...LOWER].flatMap((c, k) => (bitOf(tables.letter_triples, (i * 26 + j) * 26 + k) ? [[a + b + c, 1] as const] : [])),
      ),
    )
    const others = Array.from(
      { length: tables.pairs.length / 2 },
      (_, index) => [tables.pairs.slice(index * 2, index * 2 + 2), 1] as const,
    )
    expect([pairs.length, triples.length, others.length].every((count) => count > 1_500)).toBe(true)
    expect(wrong([...pairs, ...triples, ...others])).toEqual([])
  })

  it('know the characters that are one token, and no others', () => {
    const cases: [string, number][] = []
    for (const [block, hex] of Object.entries(tables.known_characters)) {
      for (let offset = 0; offset < 256; offset++) {
        const character = String.fromCodePoint(Number.parseInt(block, 16) * 256 + offset)
        if (!character.isWellFormed()) continue
        cases.push([character, bitOf(hex, offset) ? 1 : Buffer.byteLength(character)])
      }
    }
    expect(wrong(cases)).toEqual([])
  })
})

describe('the estimate of a request', () => {
  const { per_message, per_request } = INPUT_TOKEN_ESTIMATE

  it('counts messages, texts, JSON values by their RFC 8785 text, and images, each by itself', () => {
    const prompt = { messages: 2, texts: ['12', '345'], json: [{ b: 1, a: [2] }], images: ['by_url' as const] }
    expect(estimateInputTokens(prompt)).toBe(
      per_request + 2 * per_message + 2 + 3 + estimateTextTokens('{"a":[2],"b":1}') + 6_192,
    )
    expect(estimateInputTokens({ messages: 0, texts: [], json: [], images: [] })).toBe(per_request)
  })

  it('reads a body as it is sent, of both dialects, and says what is wrong with one that would be refused', () => {
    const user = { role: 'user', content: '12345' }
    const body = { model: 'gm-2.5-flash', messages: [user], max_tokens: 10 }
    const alone = { ok: true, inputTokens: per_request + per_message + 5 }
    expect(estimateRequestTokens('/v1/chat/completions', body)).toEqual(alone)
    expect(estimateRequestTokens('/v1/messages', body)).toEqual(alone)
    expect(estimateRequestTokens('/v1/messages', { ...body, system: '67' })).toEqual({
      ok: true,
      inputTokens: per_request + 2 * per_message + 7,
    })
    expect(estimateRequestTokens('/v1/chat/completions', { model: 'gm-2.5-flash' })).toMatchObject({ ok: false })
  })

  it('has none for a body whose text or numbers JSON cannot hold: it would be refused', () => {
    const chat = (more: object) => ({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'x' }], ...more })
    const declared = (more: object) => chat({ tools: [{ type: 'function', function: { name: 'f', ...more } }] })
    const bodies = [
      chat({ messages: [{ role: 'user', content: 'half a pair: \ud800' }] }),
      declared({ description: 'half a pair: \udc00' }),
      declared({ parameters: { type: 'object', default: Number.POSITIVE_INFINITY } }),
    ]
    for (const body of bodies)
      expect(estimateRequestTokens('/v1/chat/completions', body)).toMatchObject({ ok: false, problem: { param: 'body' } })
    const system = 'half a pair: \ud800'
    expect(estimateRequestTokens('/v1/messages', { ...chat({ system }), max_tokens: 1 })).toMatchObject({ ok: false })
  })
})
