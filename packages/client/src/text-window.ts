import { KIND_BITS as BITS, isLetterOrSymbol, KIND_BY_UNIT, mayBeOneRun, SPACE } from './unit-kinds.ts'

/** So many units are read at a time: they, what is found out about them and the tables stay in a processor's cache. */
const WINDOW = 0x1000
/** Where the first unit stands. Before it stand zeros, for who looks at what is before a run. */
export const FIRST = 16
/** A loop that stops at what is no letter needs no look at the end then, and neither does who reads two characters ahead. */
const ZEROS_BEHIND = 3
export const WINDOW_UNITS = FIRST + WINDOW + ZEROS_BEHIND

/**
 * The UTF-16 units of a text, halves of surrogate pairs as they are, from FIRST on. Kept, because new memory takes longer than what is written
 * into it. Nothing that reads it waits for anything, so nobody else writes. What was read last stays in it, 8 KB: the string that it is a
 * copy of is not wiped from memory either.
 */
export const WINDOW_TEXT = new Uint16Array(WINDOW_UNITS)
const BYTES = Buffer.from(WINDOW_TEXT.buffer)

// Constants of this module, because an imported one is loaded and checked at every use.
const KIND_BITS = BITS
const KINDS = KIND_BY_UNIT
const SURE_BORDERS = sureBorders()

/**
 * Reads the next units of a text, up to where a run ends for certain, and returns where that is in the window. FIRST: nowhere, the run is
 * longer than a window. Written by Node in one go: a loop over charCodeAt takes longer. A Uint16Array reads the bytes as the machine orders
 * them, which is little-endian wherever Node runs today.
 */
export function readWindow(text: string, from: number): number {
  const rest = text.length - from
  BYTES.write(text.slice(from, from + WINDOW), FIRST * Uint16Array.BYTES_PER_ELEMENT, 'utf16le')
  const end = rest > WINDOW ? lastBorder() : FIRST + rest
  for (let at = end; at < end + ZEROS_BEHIND; at++) WINDOW_TEXT[at] = 0
  return end
}

/** Whether a run ends between two units, whatever stands around them. */
export function isSureBorder(before: number, unit: number): boolean {
  return SURE_BORDERS[((KINDS[before] as number) << KIND_BITS) | (KINDS[unit] as number)] === 1
}

function lastBorder(): number {
  let at = FIRST + WINDOW - 1
  while (at > FIRST && !isSureBorder(WINDOW_TEXT[at - 1] as number, WINDOW_TEXT[at] as number)) at--
  return at
}

/** By two kinds. A space may belong to the letters or symbols behind it. */
function sureBorders(): Uint8Array {
  return Uint8Array.from({ length: 1 << (2 * KIND_BITS) }, (_, index) => {
    const [before, kind] = [index >> KIND_BITS, index & ((1 << KIND_BITS) - 1)]
    return mayBeOneRun(before, kind) || (before === SPACE && isLetterOrSymbol(kind)) ? 0 : 1
  })
}
