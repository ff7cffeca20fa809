import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'
import { unitsOf } from './run-table.ts'

type Join = { left: Uint16Array; right: Uint16Array; tokens: number }

/** By the letters on both sides of the border between a small and a capital letter. */
const BY_BORDER: readonly (readonly Join[])[] = byBorder(INPUT_TOKEN_TABLES.joins)

/**
 * What a border inside text[start, end) costs: where the tokenizer has a token across it, the words beside it may fall apart.
 * `border` is the index of the capital letter.
 */
export function joinTokens(text: Uint16Array, start: number, border: number, end: number): number {
  const joins = BY_BORDER[borderKey(text[border - 1] as number, text[border] as number)] as readonly Join[]
  let most = 0
  for (const { left, right, tokens } of joins) {
    const fits = border - left.length >= start && border + right.length <= end
    if (tokens > most && fits && stands(text, border - left.length, left) && stands(text, border, right)) most = tokens
  }
  return most
}

function stands(text: Uint16Array, at: number, part: Uint16Array): boolean {
  for (let index = 0; index < part.length; index++) if (text[at + index] !== part[index]) return false
  return true
}

function borderKey(small: number, capital: number): number {
  return (small - 0x61) * 26 + capital - 0x41
}

function byBorder(groups: Record<string, string>): Join[][] {
  const table: Join[][] = Array.from({ length: 26 * 26 }, () => [])
  for (const [tokens, joins] of Object.entries(groups)) {
    for (const join of joins.split(' ')) {
      const border = join.search(/(?<=[a-z])(?=[A-Z])/)
      const key = borderKey(join.charCodeAt(border - 1), join.charCodeAt(border))
      table[key]?.push({ left: unitsOf(join.slice(0, border)), right: unitsOf(join.slice(border)), tokens: Number(tokens) })
    }
  }
  return table
}
