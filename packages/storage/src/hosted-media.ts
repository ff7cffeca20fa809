import { type Keyring, mintMediaCapability, sealSegments } from '@turnpike/sealing'
import {
  MEDIA_PREFIXES,
  type MediaAtRest,
  type MediaContentType,
  type MediaKind,
  mediaKeyOf,
  newMediaObject,
  objectIdOf,
} from './media-object.ts'
import type { ObjectStore } from './object-store.ts'

export type HostMediaDeps = {
  store: Pick<ObjectStore, 'put'>
  contentKeys: Keyring
  capabilityKeys: Keyring
  atRest: MediaAtRest
  now(): number
}

export type MediaToHost = { kind: MediaKind; bytes: Buffer; contentType: MediaContentType; retentionMs: number }

/**
 * Stores the bytes and mints their capability: whoever has it may fetch them until it expires. Resolves only after the store has
 * acknowledged them, and throws the store's faults, so a URL that is handed out serves. Throws RangeError for no bytes, and for a
 * retention that is none or beyond what the deletion rules of the bucket leave alone.
 */
export async function hostMedia(
  { store, contentKeys, capabilityKeys, atRest, now }: HostMediaDeps,
  { kind, bytes, contentType, retentionMs }: MediaToHost,
): Promise<{ capability: string; expiresAtMs: number }> {
  if (bytes.length === 0) throw new RangeError('nothing to host')
  const { maxRetentionMs } = MEDIA_PREFIXES[kind]
  if (!Number.isSafeInteger(retentionMs) || retentionMs < 1 || retentionMs > maxRetentionMs)
    throw new RangeError(`${kind} is kept for 1 to ${maxRetentionMs} ms`)
  const expiresAtMs = now() + retentionMs
  const object = newMediaObject({ kind, contentType, atRest, expiresAtMs })
  const key = mediaKeyOf(object)
  if (atRest === 'plain') await store.put(key, bytes, { contentType })
  else await store.put(key, sealSegments(contentKeys, { bytes, contentType, boundTo: key }))
  return { capability: mintMediaCapability(capabilityKeys, { objectId: objectIdOf(object), expiresAtMs }), expiresAtMs }
}
