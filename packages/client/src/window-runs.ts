import { FIRST, WINDOW_TEXT, WINDOW_UNITS } from './text-window.ts'
import {
  CAPITAL,
  isLetterOrSymbol,
  KIND_BY_UNIT,
  MIXED,
  NOTHING,
  OTHER_LETTER,
  KIND_BITS as PUBLISHED_KIND_BITS,
  SMALL,
} from './unit-kinds.ts'

// A processor loses some twenty cycles whenever it guesses wrong how a text goes on, and at nearly every end of a run it guesses wrong. So
// nothing here asks what a character is. Every one is written down as the beginning of a run; whether it is one only says if the next is
// written in the next place, or over it.

/** Where the runs of the window begin, and of what kind they are: index << 4 | kind. The last is where the window ends. */
export const RUNS = new Int32Array(WINDOW_UNITS)

// Constants of this module, because an imported one is loaded and checked at every use.
const TEXT = WINDOW_TEXT
const STARTS = RUNS
const KINDS = KIND_BY_UNIT
const KIND_BITS = PUBLISHED_KIND_BITS
const KIND = (1 << KIND_BITS) - 1
/** This bit have the kinds of what is not ASCII, and no others. */
const NOT_ASCII = OTHER_LETTER
const BORDERS = borders()
const IS_JOINED = Uint8Array.from({ length: 1 << KIND_BITS }, (_, kind) => (isLetterOrSymbol(kind) ? 1 : 0))

/** Cuts the window into runs, runs of ASCII letters into their parts, and returns how many there are. Two characters at a time are quicker. */
export function findRuns(windowEnd: number): number {
  const end = windowEnd | 0
  let at = FIRST | 0
  let count = 0
  let before = NOTHING
  let seen = 0
  for (; at < end - 1; at = (at + 2) | 0) {
    const kind = KINDS[TEXT[at] as number] as number
    const next = KINDS[TEXT[at + 1] as number] as number
    STARTS[count] = (at << KIND_BITS) | kind
    count = (count + (BORDERS[(before << KIND_BITS) | kind] as number)) | 0
    STARTS[count] = ((at + 1) << KIND_BITS) | next
    count = (count + (BORDERS[(kind << KIND_BITS) | next] as number)) | 0
    seen |= kind | next
    before = next
  }
  if (at < end) {
    const kind = KINDS[TEXT[at] as number] as number
    STARTS[count] = (at << KIND_BITS) | kind
    count = (count + (BORDERS[(before << KIND_BITS) | kind] as number)) | 0
    seen |= kind
  }
  STARTS[count] = (end << KIND_BITS) | NOTHING
  if ((seen & NOT_ASCII) !== 0) uniteRuns(count)
  return count
}

/**
 * Letters and symbols of which one is not ASCII become one MIXED run, with all letters and symbols around it: how they are cut takes a look at
 * each (see stretch-tokens.ts). What was a run inside of it is left with nothing, at its end.
 */
function uniteRuns(count: number): void {
  for (let run = 0; run < count; run++) {
    if (((STARTS[run] as number) & NOT_ASCII) === 0) continue
    let first = run
    while (first > 0 && IS_JOINED[(STARTS[first - 1] as number) & KIND] === 1) first--
    let behind = run + 1
    while (IS_JOINED[(STARTS[behind] as number) & KIND] === 1) behind++
    const end = (STARTS[behind] as number) & ~KIND
    STARTS[first] = ((STARTS[first] as number) & ~KIND) | MIXED
    for (let inside = first + 1; inside < behind; inside++) STARTS[inside] = end | NOTHING
    run = behind - 1
  }
}

/** By two kinds side by side. Digits are one run: each of them is a token, wherever it stands. */
function borders(): Uint8Array {
  return Uint8Array.from({ length: 1 << (2 * KIND_BITS) }, (_, index) => {
    const [before, kind] = [index >> KIND_BITS, index & KIND]
    return before === kind || (before === CAPITAL && kind === SMALL) ? 0 : 1
  })
}
