import { randomBytes, randomUUID } from 'node:crypto'
import { type Content, type JobEvent, type PaidEndpoint, sealedFor, sha256Hex } from '@turnpike/contracts'
import { openKeyring, seal } from '@turnpike/sealing'
import { type ObjectStore, packContent } from '@turnpike/storage'

export const CONTENT_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`
export const KEYRING = openKeyring(CONTENT_KEYS)

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** A job as the gateway admits it, for this effective request. */
export async function buildJob(
  store: ObjectStore,
  work: { endpoint: PaidEndpoint; request: { model: string } },
  changes: Partial<JobEvent> = {},
): Promise<JobEvent> {
  const jobId = hex(32)
  const text = JSON.stringify(work.request)
  const sealed = seal(KEYRING, Buffer.from(text), sealedFor.request(jobId))
  const request: Content = await packContent(store, sealed, `requests/${jobId}`)
  return {
    type: 'job',
    version: 1,
    jobId,
    requestId: randomUUID(),
    keyHash: randomBytes(32).toString('base64url'),
    fingerprint: sha256Hex(text),
    endpoint: work.endpoint,
    model: work.request.model,
    catalogVersion: '2026-11-20.00000000',
    amountAtomic: '2000',
    priceInputs: { input_tokens: 1 },
    payer: `0x${hex(20)}`,
    nonce: `0x${hex(32)}`,
    payTo: `0x${hex(20)}`,
    validBefore: Math.floor(Date.now() / 1000) + 600,
    attempt: 0,
    admittedAt: Date.now(),
    deadline: Date.now() + 60_000,
    payment: { inline: 'c2VhbGVk' },
    request,
    ...changes,
  }
}
