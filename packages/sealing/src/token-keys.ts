import { type Keyring, openKeyring } from './keyring.ts'

/**
 * Keys of tokens that follow from their subject and are given again, as they were, whenever it is asked for again. So a subject's key
 * follows from when it came to be, by the same rule in every process, and not from which key is the newest.
 */
export type TokenKeys = Keyring & {
  /** Unix seconds from which on a key gives tokens; a key without one always did. */
  sinceS: ReadonlyMap<string, number>
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?Z$/

/** Reads `[id@2026-12-01T12:00Z:base64,…]id:base64`, the newest first. Throws with a sentence that names no key. */
export function openTokenKeys(text: string): TokenKeys {
  const sinceS = new Map<string, number>()
  let before = Number.POSITIVE_INFINITY
  const entries = text.split(',').map((entry, index) => {
    const at = entry.indexOf('@')
    if (at < 0) return entry
    const id = entry.slice(0, at).trim()
    const time = entry.slice(at + 1, entry.lastIndexOf(':')).trim()
    const since = TIME.test(time) ? Date.parse(time) / 1000 : Number.NaN
    if (!Number.isFinite(since)) throw new Error(`key ${index + 1} does not say since when as "id@2026-12-01T12:00Z:base64"`)
    if (since >= before) throw new Error(`key ${index + 1} is not older than the one before it`)
    before = since
    sinceS.set(id, since)
    return `${id}${entry.slice(entry.lastIndexOf(':'))}`
  })
  const keyring = openKeyring(entries.join(','))
  const ids = [...keyring.keys.keys()]
  const timeless = ids.findIndex((id) => !sinceS.has(id))
  if (timeless >= 0 && timeless < ids.length - 1) {
    throw new Error(
      `key ${timeless + 1} must say since when, as "id@2026-12-01T12:00Z:base64": only the last one may leave it out`,
    )
  }
  return { ...keyring, sinceS }
}

/** The key of what came to be at that time; the newest where the key of that time was removed, or where the time is not known. */
export function tokenKeyOf({ activeId, keys, sinceS }: TokenKeys, createdS: number | undefined): string {
  if (createdS === undefined) return activeId
  return [...keys.keys()].find((id) => (sinceS.get(id) ?? 0) <= createdS) ?? activeId
}
