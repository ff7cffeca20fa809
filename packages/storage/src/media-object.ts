import { randomBytes } from 'node:crypto'
import type { MediaCapability } from '@turnpike/sealing'

/** One hosted file: what is known of it from its capability alone. Random, so nobody meets it by counting. */
export type MediaObject = {
  kind: MediaKind
  contentType: MediaContentType
  /** `sealed` in segments, or `plain` bytes for stores that hand them out themselves. */
  atRest: MediaAtRest
  expiresAtMs: number
  random: Buffer
}

const KINDS = ['image', 'speech'] as const
const CONTENT_TYPES = ['image/png', 'image/jpeg', 'audio/mpeg'] as const
const AT_REST = ['sealed', 'plain'] as const
export type MediaKind = (typeof KINDS)[number]
export type MediaContentType = (typeof CONTENT_TYPES)[number]
export type MediaAtRest = (typeof AT_REST)[number]

/** The lifecycle rules of the bucket delete by these prefixes, and a day after these times. */
export const MEDIA_PREFIXES: Record<MediaKind, { prefix: string; maxRetentionMs: number }> = {
  image: { prefix: 'media/image/', maxRetentionMs: 7 * 24 * 3_600_000 },
  speech: { prefix: 'media/speech/', maxRetentionMs: 24 * 3_600_000 },
}

const RANDOM_BYTES = 16
const EXPIRY_DIGITS = 13

export function newMediaObject(of: Omit<MediaObject, 'random'>): MediaObject {
  return { ...of, random: randomBytes(RANDOM_BYTES) }
}

/** The object id of a capability: kind, content type, form at rest, a zero, 16 random bytes. */
export function objectIdOf({ kind, contentType, atRest, random }: MediaObject): Buffer {
  const tags = [KINDS.indexOf(kind), CONTENT_TYPES.indexOf(contentType), AT_REST.indexOf(atRest), 0]
  return Buffer.concat([Buffer.from(tags), random])
}

/** Undefined for an id that a later version of ours has made. */
export function mediaObjectOf({ objectId, expiresAtMs }: MediaCapability): MediaObject | undefined {
  const [kind, contentType, atRest] = [KINDS[objectId[0] ?? -1], CONTENT_TYPES[objectId[1] ?? -1], AT_REST[objectId[2] ?? -1]]
  if (kind === undefined || contentType === undefined || atRest === undefined || objectId[3] !== 0) return undefined
  return { kind, contentType, atRest, expiresAtMs, random: objectId.subarray(4) }
}

/** Where it lies. Keys of one kind stand in the order of their expiry, so a sweep reads no further than what has expired. */
export function mediaKeyOf(object: MediaObject): string {
  const expiry = String(object.expiresAtMs).padStart(EXPIRY_DIGITS, '0')
  return `${MEDIA_PREFIXES[object.kind].prefix}${expiry}/${objectIdOf(object).toString('hex')}`
}

const MEDIA_KEY = /^media\/(?:image|speech)\/(\d{13})\/[0-9a-f]{40}$/

/** When the object under this key expires; undefined where the key is none of ours. */
export function expiryOfMediaKey(key: string): number | undefined {
  const expiry = MEDIA_KEY.exec(key)?.[1]
  return expiry === undefined ? undefined : Number(expiry)
}
