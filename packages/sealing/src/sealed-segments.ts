import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Keyring } from './keyring.ts'
import { SealBroken } from './seal.ts'

// A content sealed in segments that open independently, so that a range of it is read and decrypted without the rest:
//
//   header:   version (1) | key id length (1) | key id | salt (32) | segment length (4) | content length (6)
//             | content type length (1) | content type | GCM tag over all of it (16)
//   segments: ciphertext as long as the content of the segment | GCM tag (16), one after the other
//
// The key is derived from the ring's key, the salt and the name that the content is bound to, so it serves one object only and nonces can
// be counted: what they count (header or segment, index, last or not) is thereby authenticated. Reordered, exchanged, truncated or
// foreign segments do not open.

export const SEGMENT_BYTES = 64 * 1024
/** A header is never longer, whatever its key id and content type. */
export const MAX_HEADER_BYTES = 256

const VERSION = 1
const SALT_BYTES = 32
const LENGTHS_BYTES = 4 + 6
const TAG_BYTES = 16
const MAX_TYPE_BYTES = 128
const MAX_SEGMENT_BYTES = 16 * 1024 * 1024

export type SegmentedContent = { bytes: Uint8Array; contentType: string; boundTo: string; segmentBytes?: number }

/** The content must not be empty. The result is one buffer, so this is for contents that are in memory anyway. */
export function sealSegments(keyring: Keyring, content: SegmentedContent): Buffer {
  const { bytes, contentType, boundTo, segmentBytes = SEGMENT_BYTES } = content
  const type = Buffer.from(contentType)
  if (bytes.length === 0) throw new RangeError('nothing to seal')
  if (type.length > MAX_TYPE_BYTES) throw new RangeError('the content type is too long')
  const id = Buffer.from(keyring.activeId)
  const salt = randomBytes(SALT_BYTES)
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32BE(segmentBytes, 0)
  lengths.writeUIntBE(bytes.length, 4, 6)
  const head = Buffer.concat([Buffer.from([VERSION, id.length]), id, salt, lengths, Buffer.from([type.length]), type])
  const key = keyOf(keyring, keyring.activeId, { salt, boundTo })

  const segments = Math.ceil(bytes.length / segmentBytes)
  const sealed = Buffer.alloc(head.length + TAG_BYTES + bytes.length + segments * TAG_BYTES)
  head.copy(sealed)
  const headCipher = createCipheriv('aes-256-gcm', key, HEADER_NONCE).setAAD(head)
  headCipher.final()
  let at = head.length + headCipher.getAuthTag().copy(sealed, head.length)
  for (let index = 0; index < segments; index++) {
    const cipher = createCipheriv('aes-256-gcm', key, segmentNonce(index, index === segments - 1))
    at += cipher.update(bytes.subarray(index * segmentBytes, (index + 1) * segmentBytes)).copy(sealed, at)
    cipher.final()
    at += cipher.getAuthTag().copy(sealed, at)
  }
  return sealed
}

/** An authenticated header, and what it takes to open the segments after it. */
export type SegmentReader = {
  contentType: string
  contentBytes: number
  /** Where in the stored object the segments lie that hold these bytes of the content (both ends inclusive). */
  spanOf(range: ByteRange): SegmentSpan
  /** Throws SealBroken. */
  openSegment(index: number, sealed: Buffer): Buffer
  /** Bytes of that segment as stored. */
  sealedBytesOf(index: number): number
}
export type ByteRange = { first: number; last: number }
export type SegmentSpan = { firstByte: number; lastByte: number; firstSegment: number; lastSegment: number; skipBytes: number }

/** Reads the header at the beginning of a stored object. Throws SealBroken; `start` must hold MAX_HEADER_BYTES or the whole object. */
export function openSegmentHeader(keyring: Keyring, start: Buffer, boundTo: string): SegmentReader {
  const idLength = start[1]
  if (start[0] !== VERSION || idLength === undefined) throw new SealBroken('not a content in segments')
  const saltAt = 2 + idLength
  const lengthsAt = saltAt + SALT_BYTES
  const typeAt = lengthsAt + LENGTHS_BYTES + 1
  const tagAt = typeAt + (start[typeAt - 1] ?? 0)
  const headerBytes = tagAt + TAG_BYTES
  if (start.length < headerBytes) throw new SealBroken('the header is truncated')
  const keyId = start.subarray(2, saltAt).toString('latin1')
  const key = keyOf(keyring, keyId, { salt: start.subarray(saltAt, lengthsAt), boundTo })
  const decipher = createDecipheriv('aes-256-gcm', key, HEADER_NONCE).setAAD(start.subarray(0, tagAt))
  finish(decipher.setAuthTag(start.subarray(tagAt, headerBytes)), 'the header was altered or is bound to something else')

  const segmentBytes = start.readUInt32BE(lengthsAt)
  const contentBytes = start.readUIntBE(lengthsAt + 4, 6)
  if (segmentBytes < 1 || segmentBytes > MAX_SEGMENT_BYTES) throw new SealBroken('no such segment length')
  const lastIndex = Math.ceil(contentBytes / segmentBytes) - 1
  const startOf = (index: number) => headerBytes + index * (segmentBytes + TAG_BYTES)
  const sealedBytesOf = (index: number) =>
    TAG_BYTES + (index < lastIndex ? segmentBytes : contentBytes - lastIndex * segmentBytes)
  return {
    contentType: start.subarray(typeAt, tagAt).toString(),
    contentBytes,
    sealedBytesOf,
    spanOf({ first, last }) {
      if (first < 0 || last < first || last >= contentBytes) throw new RangeError('not a range of this content')
      const firstSegment = Math.floor(first / segmentBytes)
      const lastSegment = Math.floor(last / segmentBytes)
      return {
        firstByte: startOf(firstSegment),
        lastByte: startOf(lastSegment) + sealedBytesOf(lastSegment) - 1,
        firstSegment,
        lastSegment,
        skipBytes: first - firstSegment * segmentBytes,
      }
    },
    openSegment(index, sealed) {
      if (sealed.length !== sealedBytesOf(index)) throw new SealBroken('a segment is truncated')
      const decipher = createDecipheriv('aes-256-gcm', key, segmentNonce(index, index === lastIndex))
      decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES))
      const plain = decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES))
      finish(decipher, 'a segment was altered or is not in its place')
      return plain
    },
  }
}

function finish(decipher: { final(): Buffer }, why: string): void {
  try {
    decipher.final()
  } catch {
    throw new SealBroken(why)
  }
}

function keyOf(keyring: Keyring, id: string, { salt, boundTo }: { salt: Buffer; boundTo: string }): Buffer {
  const key = keyring.keys.get(id)
  if (key === undefined) throw new SealBroken('sealed with a key that is not in the ring')
  return Buffer.from(hkdfSync('sha256', key, salt, `turnpike:segments:${boundTo}`, 32))
}

const HEADER_NONCE = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])

function segmentNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}
