import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { EffectiveChatRequest } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { estimateChatTokens } from './estimate-chat.ts'
import { estimateTextTokens, INPUT_TOKEN_ESTIMATE } from './estimate-input-tokens.ts'

/** The published rule, written a second time from its text, as a client would: by expressions instead of character codes. */
function publishedEstimate(text: string): number {
  let tokens = 0
  for (const [run] of text.matchAll(/[A-Z]?[a-z]+|(?<! ) (?=[A-Za-z])| +|\t+|\n+|\r+|[\s\S]/gu)) {
    if (/^[A-Z]?[a-z]+$/.test(run)) tokens += run.length <= 24 ? Math.ceil(run.length / 4) : run.length
    else if (/^[ \t\n\r]+$/.test(run)) tokens += Math.ceil(run.length / 8)
    else if (run.length === 1 && run < '\x80') tokens += 1
    else tokens += bytes(run) > 3 || run >= '\u2e80' ? bytes(run) : Math.ceil(bytes(run) / 2)
  }
  for (const _ of text.matchAll(/(?<! ) (?=[A-Za-z])/g)) tokens -= 1
  return tokens
}

function bytes(text: string): number {
  return Buffer.byteLength(text)
}

const PIECES = [
  'a',
  'b',
  'word',
  'Word',
  'WORD',
  'x'.repeat(25),
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '7',
  '-',
  '"',
  '\x00',
  'é',
  '€',
  '漢',
  '😀',
  '\u2e7f',
  '\u2e80',
  'Ω',
]

function randomText(pieces: number): string {
  return Array.from({ length: pieces }, () => PIECES[randomInt(PIECES.length)]).join('')
}

describe('the estimate of a text', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['word', 1],
    ['words', 2],
    ['Hello world', 4],
    ['HELLO', 5],
    ['x'.repeat(24), 6],
    [`X${'x'.repeat(23)}`, 6],
    ['x'.repeat(25), 25],
    ['12345', 5],
    ['1 2 3', 5],
    ['a\nb\nc', 5],
    [' ', 1],
    [' a', 1],
    [' 1', 2],
    ['  a', 2],
    [' '.repeat(8), 1],
    [' '.repeat(9), 2],
    [' \t \t', 4],
    ['\r\n', 2],
    ['\x00\x7f', 2],
    ['é', 1],
    ['€', 2],
    ['\u2e7f', 2],
    ['\u2e80', 3],
    ['漢字', 6],
    ['😀', 4],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTextTokens(text)).toBe(tokens)
  })

  it('is what a client computes from the published rule', () => {
    for (let round = 0; round < 2_000; round++) {
      const text = randomText(randomInt(1, 40))
      expect(estimateTextTokens(text), JSON.stringify(text)).toBe(publishedEstimate(text))
    }
  })

  it('never falls when a text grows, never exceeds its bytes, and is the same every time', () => {
    for (let round = 0; round < 2_000; round++) {
      const [head, tail] = [randomText(randomInt(0, 20)), randomText(randomInt(1, 20))]
      const whole = estimateTextTokens(head + tail)
      expect(whole, JSON.stringify([head, tail])).toBeGreaterThanOrEqual(estimateTextTokens(head))
      expect(whole, JSON.stringify([head, tail])).toBeLessThanOrEqual(bytes(head + tail))
      expect(whole).toBe(estimateTextTokens(head + tail))
    }
  })

  it('charges a token per byte where tokenizers give up', () => {
    const perByte = [
      '3.14159265358979323846'.repeat(50),
      Array.from({ length: 500 }, () => randomInt(10)).join(' '),
      randomBytes(500).toString('hex').toUpperCase(),
      '{}[]()<>!?#$%^&*'.repeat(50),
      'a\nb\n1\t2\r'.repeat(100),
      '漢字かな交じり文'.repeat(50),
      '👩‍🚀'.replaceAll('\u200d', '').repeat(50),
    ]
    for (const text of perByte) expect(estimateTextTokens(text) / bytes(text), text.slice(0, 20)).toBe(1)
  })

  it('charges hex, base64 and UUIDs two to three times what it charges English', () => {
    const english =
      'The service routes requests to models behind a neutral interface, and every answer carries a receipt. '.repeat(40)
    const perByte = (text: string) => estimateTextTokens(text) / bytes(text)
    expect(perByte(english)).toBeGreaterThan(0.2)
    expect(perByte(english)).toBeLessThan(0.4)
    expect(perByte(randomBytes(5_000).toString('hex'))).toBeGreaterThan(0.8)
    expect(perByte(randomBytes(5_000).toString('base64'))).toBeGreaterThan(0.65)
    expect(perByte(Array.from({ length: 200 }, () => randomUUID()).join('\n'))).toBeGreaterThan(0.8)
    expect(perByte(createHash('sha256').update('x').digest('hex').repeat(50))).toBeGreaterThan(0.8)
  })

  it('counts every character once, however the text is built against it', () => {
    // A backtracking or quadratic reader would not come back from these within the test's time.
    const size = 5_000_000
    expect(estimateTextTokens('a'.repeat(size))).toBe(size)
    expect(estimateTextTokens('A'.repeat(size))).toBe(size)
    expect(estimateTextTokens(' '.repeat(size))).toBe(size / 8)
    expect(estimateTextTokens('Aa'.repeat(size / 2))).toBe(size / 2)
    expect(estimateTextTokens('\ud800'.repeat(size / 5))).toBe((3 * size) / 5)
  })
})

describe('the estimate of a chat request', () => {
  const request = (messages: EffectiveChatRequest['messages']): EffectiveChatRequest => ({
    model: 'gm-2.5-flash',
    messages,
    max_tokens: 512,
    stream: false,
  })

  it('is the texts plus the published cost of the request and of each message', () => {
    const { per_message, per_request } = INPUT_TOKEN_ESTIMATE
    expect(estimateChatTokens(request([{ role: 'user', content: '12345' }]))).toBe(per_request + per_message + 5)
    expect(
      estimateChatTokens(
        request([
          { role: 'system', content: '123' },
          {
            role: 'user',
            content: [
              { type: 'text', text: '45' },
              { type: 'text', text: '678' },
            ],
          },
        ]),
      ),
    ).toBe(per_request + 2 * per_message + 8)
  })

  it('is the same for a string and for one part that holds it', () => {
    const text = randomText(100)
    expect(estimateChatTokens(request([{ role: 'user', content: text }]))).toBe(
      estimateChatTokens(request([{ role: 'user', content: [{ type: 'text', text }] }])),
    )
  })
})
