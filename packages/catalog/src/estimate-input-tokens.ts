// How many input tokens a text is charged as: from its characters alone, so that a client can compute it. What tokenizers split badly
// (digits, hex, base64, rare scripts) is counted by the character or the byte; only words and repeated spaces are grouped. A space is
// free before a letter only, where tokenizers join the two: in "1 2 3" and in lines of one letter each it is a token of its own.

export const INPUT_TOKEN_ESTIMATE = {
  version: 1,
  unit: 'tokens',
  texts: 'the content of every message: the string, or the text of every text part and the refusal of every refusal part',
  /** The text is cut into the longest runs from left to right; each run counts by the first rule that matches it. */
  rules: [
    { run: '[A-Z]?[a-z]+', longest_run: 24, tokens: 'ceil(characters / 4)' },
    { run: '[A-Z]?[a-z]+', tokens: '1 per character' },
    { run: 'one space, not part of a longer run of spaces, directly before [A-Za-z]', tokens: '0' },
    { run: ' + | \\t+ | \\n+ | \\r+', tokens: 'ceil(characters / 8)' },
    { run: 'any other ASCII character', tokens: '1 per character' },
    { run: 'any other character', tokens: '1 per 2 bytes of UTF-8, rounded up; 1 per byte from U+2E80 on' },
  ],
  per_message: 8,
  per_request: 8,
} as const

const LONGEST_WORD = 24

/** Linear in the length of the text. */
export function estimateTextTokens(text: string): number {
  let tokens = 0
  let index = 0
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (isLower(code) || (isUpper(code) && isLower(text.charCodeAt(index + 1)))) {
      const end = endOfWord(text, index)
      const length = end - index
      tokens += length <= LONGEST_WORD ? Math.ceil(length / 4) : length
      index = end
    } else if (isSpace(code)) {
      const start = index
      while (text.charCodeAt(index) === code) index++
      const isFree = code === 0x20 && index - start === 1 && isLetter(text.charCodeAt(index))
      tokens += isFree ? 0 : Math.ceil((index - start) / 8)
    } else if (code < 0x80) {
      tokens += 1
      index += 1
    } else {
      const point = text.codePointAt(index) ?? code
      tokens += point < 0x2e80 ? Math.ceil(utf8Bytes(point) / 2) : utf8Bytes(point)
      index += point > 0xffff ? 2 : 1
    }
  }
  return tokens
}

function endOfWord(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isLower(text.charCodeAt(end))) end++
  return end
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a
}

function isUpper(code: number): boolean {
  return code >= 0x41 && code <= 0x5a
}

function isLetter(code: number): boolean {
  return isLower(code) || isUpper(code)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

function utf8Bytes(point: number): number {
  return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4
}
