import { randomBytes, webcrypto } from 'node:crypto'
import type { StoredContent } from '@turnpike/contracts'
import { type KeyContext, type KeyProvider, KeyRefused } from '@turnpike/sealing'
import { ClaimCheckBroken, unpackContent } from '../claim-check.ts'
import { ObjectMissing, type ObjectStore } from '../object-store.ts'
import { MAX_STAGING_MS, STAGING_PREFIX } from '../staging-prefix.ts'

/** The wrapped data keys, which stand nowhere else and go with their lifetime. */
export type StagingKeys = {
  keep(stagingId: string, wrappedKey: string, lifetimeMs: number): Promise<void>
  find(stagingId: string): Promise<string | undefined>
  forget(stagingId: string): Promise<void>
}

export type StagedAudioDeps = { store: ObjectStore; keys: StagingKeys; provider: KeyProvider }

/** `sha256` is of the audio itself, in hex. */
export type AudioToStage = { jobId: string; bytes: Uint8Array<ArrayBuffer>; sha256: string; lifetimeMs: number }

/** Why audio can never be opened again. */
export type AudioUnreadable = 'key_gone' | 'key_refused' | 'object_gone' | 'altered'

export type StagedAudio = {
  /** Encrypts and stores. Every staging has a data key and a name of its own. Throws the faults of what it needs, and leaves nothing. */
  stage(audio: AudioToStage): Promise<StoredContent>
  /** The audio again, proven to be the one that was staged for this job. Throws faults that may pass. */
  open(
    staged: StoredContent,
    job: { jobId: string; sha256: string },
  ): Promise<{ ok: true; bytes: Uint8Array<ArrayBuffer> } | { ok: false; why: AudioUnreadable }>
  /** Key first: from then on the bytes are noise. What is not there is deleted. */
  discard(staged: Pick<StoredContent, 'ref'>): Promise<void>
}

// version (1) | iv (12) | ciphertext | tag (16). The key is used for this one object only.
const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const DATA_KEY_BYTES = 32
const REF = new RegExp(`^${STAGING_PREFIX}([0-9a-f]{64}-[0-9a-f]{16})$`)
const { subtle } = webcrypto

export function stagedAudio({ store, keys, provider }: StagedAudioDeps): StagedAudio {
  async function discard({ ref }: Pick<StoredContent, 'ref'>): Promise<void> {
    const id = REF.exec(ref)?.[1]
    if (id === undefined) return
    const done = await Promise.allSettled([keys.forget(id), store.delete(ref)])
    for (const each of done) if (each.status === 'rejected') throw each.reason
  }
  return {
    async stage({ jobId, bytes, sha256, lifetimeMs }) {
      if (!(lifetimeMs > 0 && lifetimeMs <= MAX_STAGING_MS)) throw new RangeError('audio is staged for an hour at most')
      const id = `${jobId}-${randomBytes(8).toString('hex')}`
      const ref = `${STAGING_PREFIX}${id}`
      const dataKey = randomBytes(DATA_KEY_BYTES)
      try {
        const [wrapped, encrypted] = await Promise.all([
          provider.wrap(dataKey, contextOf(jobId)),
          encrypt(dataKey, bytes, boundTo(jobId, sha256)),
        ])
        await keys.keep(id, wrapped, lifetimeMs)
        await store.put(ref, encrypted)
        return { ref, sha256: await digest(encrypted), bytes: encrypted.length }
      } catch (error) {
        await discard({ ref }).catch(() => {}) // the fault is the one above; what is left lapses and is swept
        throw error
      } finally {
        dataKey.fill(0)
      }
    },
    async open(staged, { jobId, sha256 }) {
      const id = REF.exec(staged.ref)?.[1]
      if (id === undefined || !id.startsWith(`${jobId}-`)) return { ok: false, why: 'altered' }
      const wrapped = await keys.find(id)
      if (wrapped === undefined) return { ok: false, why: 'key_gone' }
      try {
        const encrypted = await unpackContent(store, staged)
        const dataKey = await provider.unwrap(wrapped, contextOf(jobId))
        const bytes = await decrypt(dataKey, encrypted, boundTo(jobId, sha256)).finally(() => dataKey.fill(0))
        return bytes === undefined ? { ok: false, why: 'altered' } : { ok: true, bytes }
      } catch (error) {
        const why = whyForGood(error)
        if (why === undefined) throw error
        return { ok: false, why }
      }
    },
    discard,
  }
}

function whyForGood(error: unknown): AudioUnreadable | undefined {
  if (error instanceof KeyRefused) return 'key_refused'
  if (error instanceof ObjectMissing) return 'object_gone'
  return error instanceof ClaimCheckBroken ? 'altered' : undefined
}

/** A key service may log it: the job, not the hash of what was said. */
function contextOf(jobId: string): KeyContext {
  return { purpose: 'turnpike-staged-audio', job: jobId }
}

function boundTo(jobId: string, sha256: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(`turnpike:staged-audio:${jobId}:${sha256}`))
}

async function digest(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await subtle.digest('SHA-256', bytes)).toString('hex')
}

/** In the threads of libuv: 25 MiB would stop the event loop for tens of milliseconds. */
async function encrypt(dataKey: Buffer, bytes: Uint8Array<ArrayBuffer>, additionalData: Uint8Array<ArrayBuffer>) {
  const iv = new Uint8Array(randomBytes(IV_BYTES))
  const key = await subtle.importKey('raw', new Uint8Array(dataKey), 'AES-GCM', false, ['encrypt'])
  const ciphertext = await subtle.encrypt({ name: 'AES-GCM', iv, additionalData, tagLength: TAG_BYTES * 8 }, key, bytes)
  return Buffer.concat([Buffer.from([VERSION]), iv, Buffer.from(ciphertext)])
}

/** Undefined where it was altered, or belongs to another key, job or audio. */
async function decrypt(dataKey: Buffer, encrypted: Buffer, additionalData: Uint8Array<ArrayBuffer>) {
  if (encrypted[0] !== VERSION || encrypted.length < 1 + IV_BYTES + TAG_BYTES || dataKey.length !== DATA_KEY_BYTES)
    return undefined
  const iv = new Uint8Array(encrypted.subarray(1, 1 + IV_BYTES))
  const key = await subtle.importKey('raw', new Uint8Array(dataKey), 'AES-GCM', false, ['decrypt'])
  try {
    const algorithm = { name: 'AES-GCM', iv, additionalData, tagLength: TAG_BYTES * 8 }
    return new Uint8Array(await subtle.decrypt(algorithm, key, encrypted.subarray(1 + IV_BYTES) as Uint8Array<ArrayBuffer>))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'OperationError') return undefined
    throw error
  }
}
