import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { corpora } from '../oracle/corpora.ts'
import { KINDS, pieceOf } from '../oracle/hostile-texts.ts'
import { randomOf } from '../oracle/random.ts'
import { requestBodies } from '../oracle/request-bodies.ts'
import { estimateRequestTokens, estimateTextTokens, INPUT_TOKEN_ESTIMATE, INPUT_TOKEN_TABLES_TEXT } from './index.ts'

// Both read the same published rule: the Python one from the pricing entry and the tables, as GET answers them, and from nothing else.
const SCRIPT = join(import.meta.dirname, '../python/turnpike_tokens.py')
const folder = mkdtempSync(join(tmpdir(), 'turnpike-tokens-'))
const entry = join(folder, 'entry.json')
const tables = join(folder, 'tables.json')
writeFileSync(entry, JSON.stringify({ input_token_estimate: INPUT_TOKEN_ESTIMATE }))
writeFileSync(tables, INPUT_TOKEN_TABLES_TEXT)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function inPython(asked: object[]): number[] {
  const input = asked.map((line) => `${JSON.stringify(line)}\n`).join('')
  const { error, status, stdout, stderr } = spawnSync('python3', [SCRIPT, entry, tables], { input, maxBuffer: 64 * 1024 * 1024 })
  if (error !== undefined)
    throw new Error(
      `python3 is needed for this test and was not found: install it (Debian: apt-get install python3). ${error.message}`,
    )
  if (status !== 0) throw new Error(`python3 ended with ${status}: ${stderr}`)
  return stdout.toString().trim().split('\n').map(Number)
}

describe('the estimate in Python', () => {
  it('is the same on every corpus', () => {
    const all = corpora()
    const counted = inPython(all.map(({ text }) => ({ text })))
    expect(Object.fromEntries(all.map(({ name }, index) => [name, counted[index]]))).toEqual(
      Object.fromEntries(all.map(({ name, text }) => [name, estimateTextTokens(text)])),
    )
  })

  it('is the same on texts that are built against it', () => {
    const random = randomOf(23)
    const texts = Array.from({ length: 6_000 }, (_, round) => {
      const kinds = round % 2 === 0 ? KINDS : [random.pick(KINDS), random.pick(KINDS)]
      return Array.from({ length: 1 + random.below(10) }, () => pieceOf(random.pick(kinds), random)).join('')
    })
    const counted = inPython(texts.map((text) => ({ text })))
    expect(counted).toHaveLength(texts.length)
    for (const [index, text] of texts.entries()) expect(counted[index], JSON.stringify(text)).toBe(estimateTextTokens(text))
  })

  it('is the same on whole requests of both dialects', () => {
    const requests = requestBodies(randomOf(5))
    const counted = inPython(requests)
    for (const [index, { endpoint, body }] of requests.entries()) {
      const estimate = estimateRequestTokens(endpoint, body)
      expect(estimate, JSON.stringify(body)).toEqual({ ok: true, inputTokens: counted[index] })
    }
  })
})
