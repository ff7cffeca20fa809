import { INPUT_TOKEN_TABLES } from '../src/input-token-tables.ts'
import type { Random } from './random.ts'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const SYMBOLS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'
const HOMOGLYPHS = 'aаeеoоpрcсxхyуiіAΑBВEΕHНKΚMΜOΟTТ'
const MARKS = '\u0300\u0301\u0302\u0303\u0308\u0323\u0327\u20d0\u0651\u064e\u093e\u094d'
const UNSEEN = '\u200b\u200c\u200d\u200e\u2060\ufeff\u00ad\ufe0f\u2581'
const WORDS = Object.values(INPUT_TOKEN_TABLES.words).flatMap((group) => group.split(' '))
const OTHER_WORDS = Object.values(INPUT_TOKEN_TABLES.other_words).flatMap((group) => group.split(' '))
const RUNS = Object.values(INPUT_TOKEN_TABLES.symbols).flatMap((group) => group.split(' '))
const JOINS = Object.values(INPUT_TOKEN_TABLES.joins).flatMap((group) => group.split(' '))
const capitalised = (word: string) => word[0]?.toUpperCase() + word.slice(1)
const TAGS = ['<b>', '</td>', '<table>', '</', '<h1>', '> </', '<bos>', '<start_of_turn>', '<unused7>', '[multimodal]']

/** One piece of a text that is built to be counted too low. Pieces are short, so that a search can exchange them one by one. */
export const PIECES: Record<string, (random: Random) => string> = {
  letters: (random) => random.text(1 + random.below(8), LOWER),
  alternating: (random) => [...random.text(6, LOWER)].map((c, i) => (i % 2 === 0 ? c.toUpperCase() : c)).join(''),
  anyCase: (random) => random.text(1 + random.below(6), LOWER + UPPER),
  capitals: (random) => random.text(1 + random.below(6), UPPER),
  word: (random) => random.pick<string>(WORDS),
  spacedWord: (random) => ` ${random.pick<string>(WORDS)}`,
  capitalisedWord: (random) => capitalised(random.pick<string>(WORDS)),
  shoutedWord: (random) => random.pick<string>(WORDS).toUpperCase(),
  halfWord: (random) => random.pick<string>(WORDS).slice(random.below(4)),
  otherWord: (random) => (random.below(2) === 0 ? ' ' : '') + random.pick<string>(OTHER_WORDS),
  brokenOtherWord: (random) => random.pick<string>(OTHER_WORDS).slice(1) + random.pick<string>(OTHER_WORDS),
  join: (random) => random.pick<string>(WORDS) + random.pick<string>(JOINS) + random.pick<string>(WORDS),
  runOfSymbols: (random) => (random.below(2) === 0 ? ' ' : '') + random.pick<string>(RUNS),
  symbols: (random) => random.text(1 + random.below(4), SYMBOLS),
  repeated: (random) => random.pick<string>(SYMBOLS).repeat(1 + random.below(70)),
  homoglyphs: (random) => random.text(4, HOMOGLYPHS),
  marks: (random) => random.text(2, LOWER) + random.text(1 + random.below(3), MARKS),
  unseen: (random) => random.text(1, UNSEEN) + random.text(2, LOWER),
  halfPairs: (random) => random.pick<string>(['\ud800', '\udc00x', '\udbff ', '😀\ud83d', '\udfff\ud800']),
  anyCharacter: (random) =>
    String.fromCodePoint(
      ([0x80, 0x400, 0x900, 0x1e00, 0x2000, 0x3000, 0xac00, 0x1f300][random.below(8)] as number) + random.below(0x300),
    ),
  blanks: (random) => random.pick<string>([' ', '\t', '\n', '\r']).repeat(1 + random.below(40)),
  digits: (random) => `${random.below(2) === 0 ? ' ' : ''}${random.below(1000)}`,
  // gql has fewer pieces than gq: only with a piece of four letters do these have the most.
  longPiece: (random) => random.pick<string>(['gqldaalq', 'gqldamtq', 'gqldbayv', 'gqld']) + random.text(random.below(3), LOWER),
  tag: (random) => random.pick<string>(TAGS),
  quote: (random) => random.pick<string>(['”', '’', '»', '°', '²', '™', '。', '…', '—']) + random.pick<string>(RUNS),
}

export const KINDS = Object.keys(PIECES)

export function pieceOf(kind: string, random: Random): string {
  return (PIECES[kind] as (random: Random) => string)(random)
}
