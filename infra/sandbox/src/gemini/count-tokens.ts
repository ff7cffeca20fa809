/**
 * A deterministic token count of the sandbox's own, near the real tokenizer on ordinary text: four and a half bytes of letters
 * to a token, one for each digit and mark, none for a single space, a quarter for each byte beyond ASCII.
 * Never more than one token for each UTF-8 byte.
 */
export function countTokens(text: string): number {
  return scan(text, Number.POSITIVE_INFINITY).tokens
}

/** The longest prefix of at most `maxTokens`, never half of a code point. */
export function takeTokens(text: string, maxTokens: number): { text: string; tokens: number; cut: boolean } {
  const { end, tokens } = scan(text, maxTokens)
  return { text: end === text.length ? text : text.slice(0, end), tokens, cut: end < text.length }
}

// Units of a thirty-sixth of a token keep the sum an integer, and so the same on every machine.
const token = 36
const letter = 8
const utf8Byte = 9

function scan(text: string, maxTokens: number): { end: number; tokens: number } {
  const budget = maxTokens * token
  let units = 0
  let index = 0
  while (index < text.length) {
    const code = text.codePointAt(index) ?? 0
    const next = units + unitsOf(code, index > 0 ? text.charCodeAt(index - 1) : 0)
    if (next > budget) break
    units = next
    index += code > 0xffff ? 2 : 1
  }
  return { end: index, tokens: Math.ceil(units / token) }
}

function unitsOf(code: number, previous: number): number {
  if (code >= 0x80) return utf8Byte * (code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
  if (code === 32) return previous === 32 ? utf8Byte : 0
  const lower = code | 32
  if (lower >= 97 && lower <= 122) return letter
  return token
}
