import { joinTokens } from './letter-joins.ts'
import { mostPiecesOfLetters } from './most-pieces.ts'
import { CUTS, endOf, LONG_WORDS, NO_WORDS, QUEUE_ENDS, QUEUE_SIZE, QUEUES, SHORT_WORDS, startOf, WORDS } from './run-queues.ts'
import { WINDOW_TEXT } from './text-window.ts'
import { longWordTokens, shortWordTokens, wordTokens } from './word-table.ts'

// Constants of this module, because an imported one is loaded and checked at every use.
const TEXT = WINDOW_TEXT
const ENTRIES = QUEUES
const ENDS = QUEUE_ENDS
const CUT_PLACES = CUTS.at

/** What the parts of three ASCII letters and more cost that are queued, and the cuts between parts. */
export function queuedLettersTokens(): number {
  return shortWordsTokens() + wordsTokens() + longWordsTokens() + noWordsTokens() + cutsTokens()
}

// Every part is written down as no word; it counts if it costs nothing as a word. Three times the same, because one function that is called
// with three others would call them for every word.

function shortWordsTokens(): number {
  let tokens = 0
  let noWords = ENDS[NO_WORDS] as number
  for (let index = SHORT_WORDS * QUEUE_SIZE, end = ENDS[SHORT_WORDS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const price = shortWordTokens(TEXT, startOf(entry), endOf(entry), entry & 1)
    tokens = (tokens + price) | 0
    ENTRIES[noWords] = entry
    noWords = (noWords + isZero(price)) | 0
  }
  ENDS[NO_WORDS] = noWords
  return tokens
}

function wordsTokens(): number {
  let tokens = 0
  let noWords = ENDS[NO_WORDS] as number
  for (let index = WORDS * QUEUE_SIZE, end = ENDS[WORDS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const price = wordTokens(TEXT, startOf(entry), endOf(entry), entry & 1)
    tokens = (tokens + price) | 0
    ENTRIES[noWords] = entry
    noWords = (noWords + isZero(price)) | 0
  }
  ENDS[NO_WORDS] = noWords
  return tokens
}

function longWordsTokens(): number {
  let tokens = 0
  let noWords = ENDS[NO_WORDS] as number
  for (let index = LONG_WORDS * QUEUE_SIZE, end = ENDS[LONG_WORDS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const price = longWordTokens(TEXT, startOf(entry), endOf(entry), entry & 1)
    tokens = (tokens + price) | 0
    ENTRIES[noWords] = entry
    noWords = (noWords + isZero(price)) | 0
  }
  ENDS[NO_WORDS] = noWords
  return tokens
}

function noWordsTokens(): number {
  let tokens = 0
  for (let index = NO_WORDS * QUEUE_SIZE, end = ENDS[NO_WORDS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    tokens += mostPiecesOfLetters(TEXT, startOf(entry) - (entry & 1), endOf(entry))
  }
  return tokens
}

function cutsTokens(): number {
  let tokens = 0
  for (let index = 0; index < CUTS.count; index++) tokens += joinTokens(TEXT, CUT_PLACES[index] as number)
  return tokens
}

/** 1 for 0, and 0 for what is more. */
function isZero(price: number): number {
  return (price - 1) >>> 31
}
