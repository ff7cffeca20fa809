import { blanksTokens } from './run-tokens.ts'
import { stretchTokens } from './stretch-tokens.ts'
import { isSureBorder } from './text-window.ts'
import { isLetterOrSymbol, KIND_BY_UNIT, SPACE } from './unit-kinds.ts'

/** What is read behind the end: a join looks at the letters behind a cut until one is none. */
const ZEROS_BEHIND = 3

/** What stands in a text from an index on up to where a run ends for certain, however far that is, and what it costs. */
export function longRunTokens(text: string, from: number): { tokens: number; end: number } {
  let end = from + 1
  while (end < text.length && !isSureBorder(text.charCodeAt(end - 1), text.charCodeAt(end))) end++
  const units = new Uint16Array(end - from + ZEROS_BEHIND)
  Buffer.from(units.buffer).write(text.slice(from, end), 'utf16le')
  const length = end - from
  const kindAt = (at: number) => KIND_BY_UNIT[units[at] as number] as number
  if (isLetterOrSymbol(kindAt(0))) return { tokens: stretchTokens(units, 0, 0, length), end }
  // Blanks, and behind spaces perhaps what one of them may belong to.
  let blanks = 1
  while (blanks < length && units[blanks] === units[0]) blanks++
  if (blanks === length) return { tokens: blanksTokens(blanks), end }
  const isSpaced = blanks === 1 && kindAt(0) === SPACE
  return { tokens: (isSpaced ? 0 : blanksTokens(blanks)) + stretchTokens(units, isSpaced ? 0 : blanks, blanks, length), end }
}
