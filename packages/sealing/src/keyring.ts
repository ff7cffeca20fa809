/** Keys by id; the first is active, the others still open what they sealed (rotation). */
export type Keyring = { activeId: string; keys: ReadonlyMap<string, Buffer> }

const KEY_BYTES = 32
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/

/** Reads `kid:base64of32bytes[,kid2:…]`. Throws with a sentence that names the entry by its place, never the key. */
export function openKeyring(text: string): Keyring {
  const keys = new Map<string, Buffer>()
  for (const [index, entry] of text.split(',').entries()) {
    const separator = entry.indexOf(':')
    const id = entry.slice(0, separator).trim()
    const key = Buffer.from(entry.slice(separator + 1).trim(), 'base64')
    if (separator < 1 || !KEY_ID.test(id) || key.length !== KEY_BYTES) {
      throw new Error(`key ${index + 1} is not "id:base64" of ${KEY_BYTES} bytes`)
    }
    if (keys.has(id)) throw new Error(`key id ${id} stands twice`)
    keys.set(id, key)
  }
  const [activeId] = keys.keys()
  if (activeId === undefined) throw new Error('no key')
  return { activeId, keys }
}
