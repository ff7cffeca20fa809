import { INPUT_TOKEN_TABLES } from './input-token-tables.ts'

type Join = { left: Uint16Array; right: Uint16Array; tokens: number }

/** By the letters on both sides of the border between a small and a capital letter; most pairs of letters have none. */
const BY_BORDER: readonly (readonly Join[])[] = byBorder(INPUT_TOKEN_TABLES.joins)
/** The same of joins that are these two letters: nothing else has to be looked at. */
const OF_TWO_LETTERS = ofTwoLetters()
/** For the joins that are longer: a bit for each letter that may stand behind the border. It tells nearly always that nothing fits. */
const LETTERS_BEHIND = lettersBehind()

/**
 * What a border inside a run of letters costs: where the tokenizer has a token across it, the words beside it may fall apart. `border` is
 * the index of the capital letter. Something that is no letter stands behind the run.
 */
export function joinTokens(text: Uint16Array, border: number): number {
  const key = borderKey(text[border - 1] as number, text[border] as number)
  const least = OF_TWO_LETTERS[key] as number
  const mayFit = ((LETTERS_BEHIND[key] as number) >>> ((text[border + 1] as number) & 31)) & 1
  return mayFit === 0 ? least : dearest(BY_BORDER[key] as Join[], text, border)
}

function dearest(joins: readonly Join[], text: Uint16Array, border: number): number {
  let most = 0
  for (const { left, right, tokens } of joins) {
    const fits = tokens > most && border >= left.length
    if (fits && stands(text, border - left.length, left) && stands(text, border, right)) most = tokens
  }
  return most
}

function stands(text: Uint16Array, at: number, part: Uint16Array): boolean {
  for (let index = 0; index < part.length; index++) if (text[at + index] !== part[index]) return false
  return true
}

function borderKey(small: number, capital: number): number {
  return ((small & 31) << 5) | (capital & 31)
}

function byBorder(groups: Record<string, string>): Join[][] {
  const table: Join[][] = Array.from({ length: 32 * 32 }, () => [])
  for (const [tokens, joins] of Object.entries(groups)) {
    for (const join of joins.split(' ')) {
      const border = join.search(/(?<=[a-z])(?=[A-Z])/)
      const key = borderKey(join.charCodeAt(border - 1), join.charCodeAt(border))
      table[key]?.push({ left: unitsOf(join.slice(0, border)), right: unitsOf(join.slice(border)), tokens: Number(tokens) })
    }
  }
  return table
}

function ofTwoLetters(): Uint8Array {
  return Uint8Array.from(BY_BORDER, (joins) => Math.max(0, ...joins.filter(isOfTwoLetters).map(({ tokens }) => tokens)))
}

function lettersBehind(): Int32Array {
  return Int32Array.from(BY_BORDER, (joins) => {
    const seconds = joins.filter((join) => !isOfTwoLetters(join)).map(({ right }) => right[1])
    return seconds.reduce<number>((bits, second) => bits | (second === undefined ? -1 : 1 << (second & 31)), 0)
  })
}

function isOfTwoLetters({ left, right }: Join): boolean {
  return left.length + right.length === 2
}

function unitsOf(text: string): Uint16Array {
  return Uint16Array.from(text, (letter) => letter.charCodeAt(0))
}
