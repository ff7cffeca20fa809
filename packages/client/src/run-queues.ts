import { WINDOW_UNITS } from './text-window.ts'
import {
  isAsciiLetter,
  isLetterOrSymbol,
  MIXED,
  NOTHING,
  NUMERAL,
  KIND_BITS as PUBLISHED_KIND_BITS,
  SPACE,
  SYMBOL,
} from './unit-kinds.ts'
import { RUNS } from './window-runs.ts'

// The runs of a window are sorted by what has to be done about them, and each queue is then read in one go: who reads it asks nothing that
// a processor could guess wrong, and the look-ups of one run do not wait for those of the run before. Sorting asks nothing either: kind and
// length say in one look-up which queue it is, or what the run costs.

/** What is in no queue is priced by its kind and length. */
export const [PRICED, SHORT_RUNS, SHORT_WORDS, WORDS, LONG_WORDS, SYMBOLS, MIXED_RUNS, LONG_SIMPLE_RUNS] = [
  0, 1, 2, 3, 4, 5, 6, 7,
]
/** Filled by who reads the queues of words: what is none. */
export const NO_WORDS = 8
const QUEUE_COUNT = 9
/** An array of so many numbers does not stand in the heap of V8, where it would be moved: compiled code knows its address. */
const OFF_HEAP = 32
/** No power of two: queues would be in each other's way in a cache. */
export const QUEUE_SIZE = WINDOW_UNITS + 72
/** A queue begins at its number times QUEUE_SIZE. An entry is the number of a run << 1, and 1 when a space belongs to it. */
export const QUEUES = new Uint16Array(QUEUE_COUNT * QUEUE_SIZE)
/** Where each queue ends. */
export const QUEUE_ENDS = new Int32Array(Math.max(QUEUE_COUNT, OFF_HEAP))
/** The capitals before which a run of letters is cut, by their index in the window, and how many there are. */
export const CUTS = { at: new Uint16Array(WINDOW_UNITS), count: 0 }

/** What stands before a run, as far as it matters: a space that may belong to it, or letters that it is cut from. */
const [ANYTHING, ONE_SPACE, LETTERS] = [0, 1, 2]
const BEFORE_BITS = 2
/** A length that is longer is this one. */
const LONGEST = 15
const LENGTH_BITS = 4

// An action is one number: the queue, the tokens, and 1 if it is cut from the letters before. Tokens and cuts are added up in one number:
// of both there are fewer in a window than 16 bits can count.
const QUEUE_MASK = 15
const SUM_SHIFT = 4
const CUTS_SHIFT = 16

// Constants of this module, because an imported one is loaded and checked at every use.
const STARTS = RUNS
const PLACES = QUEUES
const ENDS = QUEUE_ENDS
const SIZE = QUEUE_SIZE
const CUT_PLACES = CUTS.at
const KIND_BITS = PUBLISHED_KIND_BITS
const KIND = (1 << KIND_BITS) - 1
const ACTIONS = actions()
const BEFORE_NEXT = beforeNext()

/** Puts so many runs of the window into their queues, and returns what those cost that need none. */
export function queueRuns(count: number): number {
  for (let queue = 0; queue < QUEUE_COUNT; queue++) ENDS[queue] = queue * SIZE
  const runs = count | 0
  let sum = 0
  let before = ANYTHING
  let start = STARTS[0] as number
  for (let run = 0; run < runs; run = (run + 1) | 0) {
    const next = STARTS[run + 1] as number
    const length = (next >> KIND_BITS) - (start >> KIND_BITS)
    // The smaller of both, without a question.
    const atMost = (length | ((LONGEST - length) >> 31)) & LONGEST
    const form = ((start & KIND) << LENGTH_BITS) | atMost
    const action = ACTIONS[(form << BEFORE_BITS) | before] as number
    const queue = action & QUEUE_MASK
    const place = ENDS[queue] as number
    PLACES[place] = (run << 1) | (before & ONE_SPACE)
    ENDS[queue] = place + 1
    CUT_PLACES[sum >> CUTS_SHIFT] = start >> KIND_BITS
    sum = (sum + (action >> SUM_SHIFT)) | 0
    before = BEFORE_NEXT[form] as number
    start = next
  }
  CUTS.count = sum >> CUTS_SHIFT
  // A space that nothing stands behind is a token.
  return (sum & ((1 << CUTS_SHIFT) - 1)) + (before & ONE_SPACE)
}

/** Where the run of an entry begins in the window; its space, if it has one, stands before that. */
export function startOf(entry: number): number {
  return (STARTS[entry >> 1] as number) >> KIND_BITS
}

export function endOf(entry: number): number {
  return (STARTS[(entry >> 1) + 1] as number) >> KIND_BITS
}

function actions(): Int32Array {
  const table = new Int32Array(1 << (KIND_BITS + LENGTH_BITS + BEFORE_BITS))
  for (let index = 0; index < table.length; index++) {
    const form = index >> BEFORE_BITS
    table[index] = actionOf(form >> LENGTH_BITS, form & LONGEST, index & ((1 << BEFORE_BITS) - 1))
  }
  return table
}

function actionOf(kind: number, length: number, before: number): number {
  if (kind === NOTHING || length === 0) return PRICED
  const isSpaced = before === ONE_SPACE && isLetterOrSymbol(kind)
  const queue = queueOf(kind, length, isSpaced)
  // The space before what takes none is a token.
  const own = queue === PRICED ? priceOf(kind, length) : 0
  const tokens = own + (before === ONE_SPACE && !isSpaced ? 1 : 0)
  const isCut = isAsciiLetter(kind) && before === LETTERS
  return queue | ((tokens | ((isCut ? 1 : 0) << CUTS_SHIFT)) << SUM_SHIFT)
}

function queueOf(kind: number, length: number, isSpaced: boolean): number {
  if (kind === MIXED) return MIXED_RUNS
  if (kind !== SYMBOL && !isAsciiLetter(kind)) return length >= LONGEST - 1 ? LONG_SIMPLE_RUNS : PRICED
  if (length === 1 && !isSpaced) return PRICED
  if (length <= 2) return SHORT_RUNS
  if (kind === SYMBOL) return SYMBOLS
  return length <= 6 ? SHORT_WORDS : length <= 12 ? WORDS : LONG_WORDS
}

/** A space that stands alone is paid when it is seen what stands behind it. */
function priceOf(kind: number, length: number): number {
  if (kind === NUMERAL) return length
  return kind === SPACE && length === 1 ? 0 : 1
}

function beforeNext(): Uint8Array {
  return Uint8Array.from({ length: 1 << (KIND_BITS + LENGTH_BITS) }, (_, form) => {
    const [kind, length] = [form >> LENGTH_BITS, form & LONGEST]
    if (kind === SPACE && length === 1) return ONE_SPACE
    return isAsciiLetter(kind) ? LETTERS : ANYTHING
  })
}
