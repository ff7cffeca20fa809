import type { Chance } from './chance.ts'

const DEEP = 5_000

/** JSON texts that are seldom what a field wants. */
const STRANGE_JSON: readonly string[] = [
  ...['null', 'true', '0', '-1', '1e999', '-0.0', '1.5', '9007199254740993', '18446744073709551616'],
  ...['""', '" "', '"\\u0000"', '"\\ud800"', '"\\udfff\\ud800"', '"＄"', '"64"', '[]', '{}', '[[]]', '[null]', '{"":{}}'],
  ...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}', '{"toString":1,"valueOf":null}'],
  `"${'x'.repeat(70_000)}"`,
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `[${'0,'.repeat(60_000)}0]`,
]

const FIELDS = [
  'model',
  'messages',
  'max_tokens',
  'stream',
  'temperature',
  'stop',
  '__proto__',
  'constructor',
  'toString',
] as const
const INSIDE = ['role', 'content', '__proto__', 'hasOwnProperty', 'name'] as const

export function strangeJson(chance: Chance): string {
  return chance.pick(STRANGE_JSON)
}

/** A request with one field that is not what it should be, at the top or inside a message. */
export function mistyped(chance: Chance, text: string): string {
  const message = (more = '') => `{"role":"user","content":${JSON.stringify(text)}${more}}`
  const value = strangeJson(chance)
  const member = (fields: readonly string[]) => `${JSON.stringify(chance.pick(fields))}:${value}`
  if (chance.below(2) === 0) return `{"model":"gm-2.5-flash-lite","messages":[${message()}],"max_tokens":64,${member(FIELDS)}}`
  const other = chance.pick([value, `{${member(INSIDE)}}`, message(`,${member(INSIDE)}`)])
  return `{"model":"gm-2.5-flash-lite","messages":[${message()},${other}],"max_tokens":64}`
}

/** A few bytes are cut out, put in or turned over. */
export function mangled(chance: Chance, sample: string): Buffer {
  let bytes = Buffer.from(sample)
  for (let edits = 1 + chance.below(4); edits > 0; edits--) {
    const at = chance.below(bytes.length)
    const put = chance.pick([
      chance.bytes(1 + chance.below(4)),
      Buffer.from(chance.pick(['"', '{', '[', '\\', ',', '\u0000', '\ufeff', '1e9'])),
    ])
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + chance.below(8))])
  }
  return bytes
}

/** Text that no header should hold; latin1, one byte for a character. */
export function strangeHeader(chance: Chance): string {
  return chance.pick([
    '',
    ' ',
    'two words',
    '\u00e4\u00f6\u00fc',
    '\u0080\u00ff',
    'a\tb',
    'a\u0007b',
    '"quoted"',
    'x'.repeat(256),
    'x'.repeat(20_000),
    'null',
    '../../etc/passwd',
    '%00',
    chance
      .bytes(24)
      .toString('latin1')
      .replaceAll(/[\r\n\0]/g, '?'),
  ])
}
