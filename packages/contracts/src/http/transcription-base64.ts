const COMPARED_BYTES = 3 * 1_024 * 1_024

/**
 * The bytes of canonical RFC 4648 Base64: the alphabet with + and /, padded, no whitespace, unused bits zero. Undefined for anything
 * else. Node's decoder skips what it does not know, so what it made is written again and compared, piece by piece to save memory.
 */
export function decodeCanonicalBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined
  const decoded = Buffer.alloc((text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0))
  if (decoded.write(text, 'base64') !== decoded.length) return undefined
  for (let at = 0; at < decoded.length; at += COMPARED_BYTES) {
    const written = decoded.toString('base64', at, at + COMPARED_BYTES)
    const start = (at / 3) * 4
    if (written !== text.slice(start, start + written.length)) return undefined
  }
  return decoded
}
