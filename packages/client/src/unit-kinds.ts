import { BREAK, classAt, DIGIT, LETTER, SPACE as SPACE_CLASS } from './character-classes.ts'

/** What kind of character a UTF-16 unit is; nothing stands before a text, and behind it. From OTHER_LETTER on it is not ASCII. */
export const [NOTHING, SMALL, CAPITAL, SYMBOL, NUMERAL, SPACE, NEWLINE, TAB, OTHER_LETTER, OTHER_SYMBOL, SURROGATE, MIXED] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
]
export const KIND_BITS = 4
export const END_OF_ASCII = 0x80

/** Of every unit, so that nobody asks whether it is ASCII. MIXED is none of a unit (see window-runs.ts). */
export const KIND_BY_UNIT = Uint8Array.from({ length: 0x1_0000 }, (_, unit) => kindOf(unit))

/** Letters of the alphabet that the published rule cuts into parts. */
export function isAsciiLetter(kind: number): boolean {
  return kind === SMALL || kind === CAPITAL
}

/** Whether units of these kinds may stand in one run. Of a surrogate only its pair tells. */
export function mayBeOneRun(before: number, kind: number): boolean {
  if (!isLetterOrSymbol(before) || !isLetterOrSymbol(kind)) return before === kind && kind !== NUMERAL
  return before === SURROGATE || kind === SURROGATE || isLetter(before) === isLetter(kind)
}

/** What a space belongs to that stands alone before it. */
export function isLetterOrSymbol(kind: number): boolean {
  return isLetter(kind) || kind === SYMBOL || kind === OTHER_SYMBOL || kind === SURROGATE || kind === MIXED
}

export function isLetter(kind: number): boolean {
  return isAsciiLetter(kind) || kind === OTHER_LETTER
}

function kindOf(unit: number): number {
  if (unit >= 0xd800 && unit <= 0xdfff) return SURROGATE
  switch (classAt(Uint16Array.of(unit), 0)) {
    case LETTER:
      if (unit >= END_OF_ASCII) return OTHER_LETTER
      return unit <= 0x5a ? CAPITAL : SMALL
    case DIGIT:
      return NUMERAL
    case SPACE_CLASS:
      return SPACE
    case BREAK:
      return unit === 0x09 ? TAB : NEWLINE
    default:
      // A NUL counts as not ASCII: in the tables of short runs it is what is not there.
      return unit === 0 || unit >= END_OF_ASCII ? OTHER_SYMBOL : SYMBOL
  }
}
