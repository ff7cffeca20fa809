import { createHash } from 'node:crypto'
import type { Content } from '@turnpike/contracts'
import { type ObjectStore, ObjectTooLarge } from './object-store.ts'

/** Beyond this a sealed content travels by reference. Kafka takes 2 MiB messages; small ones keep its fetches fair. */
export const MAX_INLINE_BYTES = 256 * 1024

/** The stored bytes are not those that the reference names. */
export class ClaimCheckBroken extends Error {
  override name = 'ClaimCheckBroken'
}

/** Sealed bytes as event content: inline when small, else stored under `ref` first. */
export async function packContent(store: ObjectStore, sealed: Buffer, ref: string): Promise<Content> {
  if (sealed.length <= MAX_INLINE_BYTES) return { inline: sealed.toString('base64') }
  await store.put(ref, sealed)
  return { ref, sha256: digest(sealed), bytes: sealed.length }
}

/** The sealed bytes again. Throws ObjectMissing, ClaimCheckBroken, or the store's own transient faults. */
export async function unpackContent(store: ObjectStore, content: Content): Promise<Buffer> {
  if ('inline' in content) return Buffer.from(content.inline, 'base64')
  const sealed = await store.get(content.ref, { maxBytes: content.bytes }).catch((error: unknown) => {
    throw error instanceof ObjectTooLarge ? new ClaimCheckBroken('stored content is longer than its claim check') : error
  })
  if (sealed.length !== content.bytes || digest(sealed) !== content.sha256)
    throw new ClaimCheckBroken('stored content differs from its claim check')
  return sealed
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
