import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'

type Join = { left: Uint16Array; right: Uint16Array; tokens: number }

/** By the letters on both sides of the border between a small and a capital letter; most pairs of letters have none. */
const BY_BORDER: readonly (readonly Join[] | undefined)[] = byBorder(INPUT_TOKEN_TABLES.joins)

/**
 * What a border inside a run of letters that begins at `start` costs: where the tokenizer has a token across it, the words beside it may
 * fall apart. `border` is the index of the capital letter. Something that is no letter stands behind the run.
 */
export function joinTokens(text: Uint16Array, start: number, border: number): number {
  const joins = BY_BORDER[borderKey(text[border - 1] as number, text[border] as number)]
  return joins === undefined ? 0 : dearest(joins, text, start, border)
}

function dearest(joins: readonly Join[], text: Uint16Array, start: number, border: number): number {
  let most = 0
  for (const { left, right, tokens } of joins) {
    const fits = tokens > most && border - left.length >= start
    if (fits && stands(text, border - left.length, left) && stands(text, border, right)) most = tokens
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

function byBorder(groups: Record<string, string>): (Join[] | undefined)[] {
  const table: (Join[] | undefined)[] = Array.from({ length: 26 * 26 }, () => undefined)
  for (const [tokens, joins] of Object.entries(groups)) {
    for (const join of joins.split(' ')) {
      const border = join.search(/(?<=[a-z])(?=[A-Z])/)
      const key = borderKey(join.charCodeAt(border - 1), join.charCodeAt(border))
      const listed = table[key] ?? []
      listed.push({ left: unitsOf(join.slice(0, border)), right: unitsOf(join.slice(border)), tokens: Number(tokens) })
      table[key] = listed
    }
  }
  return table
}

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from(text, (letter) => letter.charCodeAt(0))
}
