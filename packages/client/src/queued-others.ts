import {
  endOf,
  LONG_SIMPLE_RUNS,
  MIXED_RUNS,
  QUEUE_ENDS,
  QUEUE_SIZE,
  QUEUES,
  SHORT_RUNS,
  SYMBOLS,
  startOf,
} from './run-queues.ts'
import { keyed } from './run-table.ts'
import { asciiSymbolsTokens, blanksTokens } from './run-tokens.ts'
import { SHORT_RUN_PRICES, SPACED_SHORT_RUNS } from './short-runs.ts'
import { stretchTokens } from './stretch-tokens.ts'
import { WINDOW_TEXT } from './text-window.ts'
import { KIND_BY_UNIT, NUMERAL } from './unit-kinds.ts'

// Constants of this module, because an imported one is loaded and checked at every use.
const TEXT = WINDOW_TEXT
const ENTRIES = QUEUES
const ENDS = QUEUE_ENDS
const PRICES = SHORT_RUN_PRICES
const SPACED = SPACED_SHORT_RUNS

/** What the runs cost that are queued and are not three ASCII letters or more. */
export function queuedOthersTokens(): number {
  return shortRunsTokens() + symbolsTokens() + mixedRunsTokens() + longSimpleRunsTokens()
}

function shortRunsTokens(): number {
  let tokens = 0
  for (let index = SHORT_RUNS * QUEUE_SIZE, end = ENDS[SHORT_RUNS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const start = startOf(entry)
    // All bits if there is a second one, or none.
    const second = (TEXT[start + 1] as number) & (start + 1 - endOf(entry))
    tokens = (tokens + (PRICES[((entry & 1) * SPACED) | ((TEXT[start] as number) << 7) | second] as number)) | 0
  }
  return tokens
}

function symbolsTokens(): number {
  let tokens = 0
  for (let index = SYMBOLS * QUEUE_SIZE, end = ENDS[SYMBOLS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const start = startOf(entry)
    const runEnd = endOf(entry)
    let key = 0
    for (let at = start; at < runEnd; at++) key = keyed(key, TEXT[at] as number)
    tokens += asciiSymbolsTokens(TEXT, start - (entry & 1), start, runEnd, key)
  }
  return tokens
}

function mixedRunsTokens(): number {
  let tokens = 0
  for (let index = MIXED_RUNS * QUEUE_SIZE, end = ENDS[MIXED_RUNS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    tokens += stretchTokens(TEXT, startOf(entry) - (entry & 1), startOf(entry), endOf(entry))
  }
  return tokens
}

function longSimpleRunsTokens(): number {
  let tokens = 0
  for (let index = LONG_SIMPLE_RUNS * QUEUE_SIZE, end = ENDS[LONG_SIMPLE_RUNS] as number; index < end; index++) {
    const entry = ENTRIES[index] as number
    const length = endOf(entry) - startOf(entry)
    tokens += KIND_BY_UNIT[TEXT[startOf(entry)] as number] === NUMERAL ? length : blanksTokens(length)
  }
  return tokens
}
