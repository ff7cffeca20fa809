import { type JobEvent, sealedFor } from '@turnpike/contracts'
import { type Keyring, open, SealBroken } from '@turnpike/sealing'
import { ClaimCheckBroken, ObjectMissing, type ObjectStore, unpackContent } from '@turnpike/storage'

/**
 * The effective request of a job, or `unreadable` where it can never be read: altered, gone, or sealed with a key that is not in the
 * ring. Throws the store's transient faults.
 */
export async function readRequest(
  deps: { store: ObjectStore; keyring: Keyring },
  job: JobEvent,
): Promise<{ request: unknown } | 'unreadable'> {
  try {
    const sealed = await unpackContent(deps.store, job.request)
    const plain = open(deps.keyring, sealed, sealedFor.request(job.jobId))
    // The gateway validated it and the seal proves that these are its bytes.
    return { request: JSON.parse(plain.toString('utf8')) }
  } catch (error) {
    const lasting =
      error instanceof SealBroken ||
      error instanceof ObjectMissing ||
      error instanceof ClaimCheckBroken ||
      error instanceof SyntaxError
    if (lasting) return 'unreadable'
    throw error
  }
}
