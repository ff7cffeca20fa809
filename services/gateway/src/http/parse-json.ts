/** Far above what a conversation holds. Without them 20 MiB of brackets, once parsed, walked and sorted, stop everybody for half a minute. */
export const JSON_LIMITS = { maxDepth: 128, maxValues: 200_000 } as const

export type JsonLimits = { maxDepth: number; maxValues: number }
export type ParsedJson = { ok: true; value: unknown } | { ok: false; defect: 'not_json' | 'too_complex' }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** JSON in strict UTF-8, of bounded depth and size. A broken body is `not_json` only if it is not too complex before it breaks. */
export function parseJson(body: Buffer, limits: JsonLimits = JSON_LIMITS): ParsedJson {
  if (isTooComplex(body, limits)) return { ok: false, defect: 'too_complex' }
  try {
    return { ok: true, value: JSON.parse(utf8.decode(body)) }
  } catch {
    return { ok: false, defect: 'not_json' }
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

// Of so few bytes looking at each is cheaper than asking where the strings end.
const SHORT_BYTES = 2_048

/** One pass over the bytes, before anything is built from them: brackets and commas outside of strings bound depth and values. */
export function isTooComplex(body: Buffer, limits: JsonLimits): boolean {
  if (body.length <= SHORT_BYTES && isSimple(body, limits)) return false
  const { maxDepth, maxValues } = limits
  let depth = 0
  let values = 1
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === QUOTE) {
      at = endOfString(body, at)
      if (at === -1) return false // never closed: JSON.parse stops there too
    } else if (byte === COMMA) values++
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++
      values++
      if (depth > maxDepth) return true
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    if (values > maxValues) return true
  }
  return false
}

/** Simple enough even if whatever stands in its strings were brackets and commas of its own. */
function isSimple(body: Buffer, { maxDepth, maxValues }: JsonLimits): boolean {
  let opened = 0
  let commas = 0
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === COMMA) commas++
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) opened++
  }
  return opened <= maxDepth && 1 + opened + commas <= maxValues
}

/** The index of the quote that closes the string which opens at `start`, or -1. */
function endOfString(body: Buffer, start: number): number {
  let end = body.indexOf(QUOTE, start + 1)
  while (end !== -1 && isEscaped(body, end)) end = body.indexOf(QUOTE, end + 1)
  return end
}

function isEscaped(body: Buffer, at: number): boolean {
  let backslashes = 0
  while (body[at - 1 - backslashes] === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
