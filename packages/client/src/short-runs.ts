import { BREAK, classAt, DIGIT, LETTER, OTHER, SPACE } from './character-classes.ts'
import { keyed } from './run-table.ts'
import { partTokens, symbolsTokens } from './run-tokens.ts'
import { packedLetters } from './word-table.ts'

// Half of the runs of code and nearly all of random text are one or two ASCII characters long: what each of them costs is worked out
// ahead. By both codes; the second is 0 where there is none, and a run with a NUL in it is not here.

export const END_OF_ASCII = 0x80
const SPACE_CODE = 0x20
const TAB_CODE = 0x09

/** What kind of character an ASCII code is, in three bits. A NUL is of no kind: nothing short has one in it, and one ends every text. */
export const [NO_KIND, SMALL, CAPITAL, NUMERAL, SYMBOL, BLANK, NEWLINE, TAB] = [0, 1, 2, 3, 4, 5, 6, 7]
export const KIND_BY_CODE = kinds()

// The tables of a module that is walked for every run are its own constants: such a one is compiled into a function with its address and size,
// an imported one is loaded and checked at every use. Functions are inlined across modules.
const ALONE = new Uint8Array(END_OF_ASCII ** 2)
const SPACED = new Uint8Array(END_OF_ASCII ** 2)
/** By two codes: what a run of these two letters or symbols costs, or of a space and one of them. */
export const PRICE_BY_PAIR = ALONE
fill([SMALL, CAPITAL], (text, start, end) => {
  const letters = [...text.subarray(start, end)]
  const capitals = letters.filter((letter) => letter <= 0x5a).length
  const { low, high } = packedLetters(letters)
  return partTokens(text, 0, start, end, capitals, low, high)
})
fill([SYMBOL], (text, start, end) => {
  const symbols = [...text.subarray(start, end)]
  return symbolsTokens(text, 0, start, end, symbols.reduce(keyed, 0), symbols[0] === symbols.at(-1))
})

/** What a short run costs, with a space before it or without. A letter or symbol alone is a token. */
export function shortTokens(first: number, second: number, isSpaced: boolean): number {
  return (isSpaced ? SPACED[shortRunOf(first, second)] : ALONE[shortRunOf(first, second)]) as number
}

/** Whether the tables above hold a run of so many characters; `second` is 0 when it has only one. */
export function isShortRun(length: number, first: number, second: number): boolean {
  return length <= 2 && first > 0 && (first | second) < END_OF_ASCII && (length === 1 || second > 0)
}

function shortRunOf(first: number, second: number): number {
  return (first << 7) | second
}

function fill(ofKinds: number[], tokens: (text: Uint16Array, start: number, end: number) => number): void {
  const codes = codesOf(ofKinds)
  for (const first of codes) {
    ALONE[shortRunOf(first, 0)] = tokens(Uint16Array.of(first), 0, 1)
    if (ALONE[shortRunOf(first, 0)] !== 1) throw new Error(`the ASCII character ${first} is not one token`)
    const behindSpace = tokens(Uint16Array.of(SPACE_CODE, first), 1, 2)
    SPACED[shortRunOf(first, 0)] = behindSpace
    ALONE[shortRunOf(SPACE_CODE, first)] = behindSpace
    for (const second of codes) {
      ALONE[shortRunOf(first, second)] = tokens(Uint16Array.of(first, second), 0, 2)
      SPACED[shortRunOf(first, second)] = tokens(Uint16Array.of(SPACE_CODE, first, second), 1, 3)
    }
  }
}

function codesOf(ofKinds: number[]): number[] {
  return [...KIND_BY_CODE.keys()].filter((code) => ofKinds.includes(KIND_BY_CODE[code] as number))
}

function kinds(): Uint8Array {
  const byClass = new Map([
    [OTHER, SYMBOL],
    [SPACE, BLANK],
    [DIGIT, NUMERAL],
    [BREAK, NEWLINE],
    [LETTER, SMALL],
  ])
  return Uint8Array.from({ length: END_OF_ASCII }, (_, code) => {
    const kind = byClass.get(classAt(Uint16Array.of(code), 0)) ?? NO_KIND
    if (code === 0) return NO_KIND
    if (code === TAB_CODE) return TAB
    return kind === SMALL && code <= 0x5a ? CAPITAL : kind
  })
}
