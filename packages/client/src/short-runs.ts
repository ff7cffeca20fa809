import { classAt, LETTER, OTHER } from './character-classes.ts'
import { keyed } from './run-table.ts'
import { partTokens, symbolsTokens } from './run-tokens.ts'

// Half of the runs of code and nearly all of random text are one or two ASCII characters long: what each of them costs is worked out
// ahead. By both codes; the second is 0 where there is none, and a run with a NUL in it is not here.

const FIRST = 1
const END_OF_ASCII = 0x80

type ShortRuns = { alone: Uint8Array; afterSpace: Uint8Array }

export const SHORT_PARTS = shortRuns(LETTER, (text, start, end) => {
  const letters = [...text.subarray(start, end)]
  const key = letters.reduce((sofar, letter) => keyed(sofar, letter | 0x20), 0)
  const capitals = letters.filter((letter) => letter <= 0x5a).length
  return partTokens(text, 0, start, end, { key, capitals })
})

export const SHORT_SYMBOLS = shortRuns(OTHER, (text, start, end) => {
  const symbols = [...text.subarray(start, end)]
  return symbolsTokens(text, 0, start, end, { key: symbols.reduce(keyed, 0), isRepeated: symbols[0] === symbols.at(-1) })
})

export function shortRunOf(first: number, second: number): number {
  return (first << 7) | second
}

/** Whether the tables below hold a run of so many characters; `second` is 0 when it has only one. */
export function isShortRun(length: number, first: number, second: number): boolean {
  return length <= 2 && first > 0 && (first | second) < END_OF_ASCII && (length === 1 || second > 0)
}

function shortRuns(runClass: number, tokens: (text: Uint16Array, start: number, end: number) => number): ShortRuns {
  const alone = new Uint8Array(END_OF_ASCII ** 2)
  const afterSpace = new Uint8Array(END_OF_ASCII ** 2)
  const ofClass: number[] = []
  for (let code = FIRST; code < END_OF_ASCII; code++) if (classAt(Uint16Array.of(code), 0) === runClass) ofClass.push(code)
  for (const first of ofClass) {
    alone[shortRunOf(first, 0)] = tokens(Uint16Array.of(first), 0, 1)
    afterSpace[shortRunOf(first, 0)] = tokens(Uint16Array.of(0x20, first), 1, 2)
    for (const second of ofClass) {
      alone[shortRunOf(first, second)] = tokens(Uint16Array.of(first, second), 0, 2)
      afterSpace[shortRunOf(first, second)] = tokens(Uint16Array.of(0x20, first, second), 1, 3)
    }
  }
  return { alone, afterSpace }
}
