import { longRunTokens } from './long-run.ts'
import { queuedLettersTokens } from './queued-letters.ts'
import { queuedOthersTokens } from './queued-others.ts'
import { queueRuns } from './run-queues.ts'
import { FIRST, readWindow } from './text-window.ts'
import { findRuns } from './window-runs.ts'

/**
 * How many input tokens a text is charged as, by the published rule. Linear in its length. A text is read in windows that end with a run: the
 * runs are found, sorted by what they are, and each sort is priced in one go.
 */
export function estimateTextTokens(text: string): number {
  let tokens = 0
  for (let from = 0; from < text.length; ) {
    const windowEnd = readWindow(text, from)
    if (windowEnd > FIRST) {
      tokens += queueRuns(findRuns(windowEnd)) + queuedLettersTokens() + queuedOthersTokens()
      from += windowEnd - FIRST
    } else {
      const run = longRunTokens(text, from)
      tokens += run.tokens
      from = run.end
    }
  }
  return tokens
}
