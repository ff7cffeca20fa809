import { randomBytes, randomUUID } from 'node:crypto'
import { type Content, type JobEvent, parseChatCompletion, sealedFor, sha256Hex } from '@turnpike/contracts'
import { openKeyring, seal } from '@turnpike/sealing'
import { type ObjectStore, packContent } from '@turnpike/storage'

export const CONTENT_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`
export const KEYRING = openKeyring(CONTENT_KEYS)

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** A job as the gateway admits it, for a chat request with this text. */
export async function buildJob(
  store: ObjectStore,
  text: string,
  changes: Partial<JobEvent> & { body?: object } = {},
): Promise<JobEvent> {
  const { body, ...rest } = changes
  const parsed = parseChatCompletion({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: text }], ...body })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  const jobId = hex(32)
  const sealed = seal(KEYRING, Buffer.from(JSON.stringify(parsed.value)), sealedFor.request(jobId))
  const request: Content = await packContent(store, sealed, `requests/${jobId}`)
  return {
    type: 'job',
    version: 1,
    jobId,
    requestId: randomUUID(),
    keyHash: randomBytes(32).toString('base64url'),
    fingerprint: sha256Hex(text),
    endpoint: '/v1/chat/completions',
    model: parsed.value.model,
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
    ...rest,
  }
}
