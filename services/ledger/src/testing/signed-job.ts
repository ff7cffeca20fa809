import { randomBytes, randomUUID } from 'node:crypto'
import { type JobEvent, jobIdOf, keyHashOf, OUTCOME_VERSION, type OutcomeEvent, sealedFor, sha256Hex } from '@turnpike/contracts'
import type { Wallet } from '@turnpike/local'
import { paymentRequirements, USDC_DOMAIN } from '@turnpike/payments'
import { type Keyring, seal } from '@turnpike/sealing'
import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export const PAY_TO: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export type SignedAuthorization = {
  authorization: { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex }
  signature: Hex
}

export async function signAuthorization(
  wallet: Wallet,
  change: { nonce?: Hex; validBefore?: number; amountAtomic?: bigint; payTo?: Hex } = {},
): Promise<SignedAuthorization> {
  const message = {
    from: wallet.address.toLowerCase() as Hex,
    to: change.payTo ?? PAY_TO,
    value: change.amountAtomic ?? 2000n,
    validAfter: 0n,
    validBefore: BigInt(change.validBefore ?? Math.floor(Date.now() / 1000) + 600),
    nonce: change.nonce ?? (`0x${randomBytes(32).toString('hex')}` as Hex),
  }
  const signature = await privateKeyToAccount(wallet.privateKey).signTypedData({
    domain: USDC_DOMAIN,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { from, to, value, validAfter, validBefore, nonce } = message
  const authorization = {
    from,
    to,
    nonce,
    value: value.toString(),
    validAfter: validAfter.toString(),
    validBefore: validBefore.toString(),
  }
  return { authorization, signature }
}

/** What a gateway seals into a job. */
export function sealedPayment(keyring: Keyring, jobId: string, signed: SignedAuthorization): { inline: string } {
  const amountAtomic = BigInt(signed.authorization.value)
  const requirements = paymentRequirements({ amountAtomic, payTo: PAY_TO, maxTimeoutSeconds: 300 })
  const presented = {
    paymentPayload: { x402Version: 2, accepted: requirements, payload: signed },
    paymentRequirements: requirements,
  }
  return { inline: seal(keyring, Buffer.from(JSON.stringify(presented)), sealedFor.payment(jobId)).toString('base64') }
}

export type JobChange = Partial<Pick<JobEvent, 'keyHash' | 'fingerprint' | 'attempt' | 'deadline' | 'endpoint'>> & {
  signed?: SignedAuthorization
}

/** A job as a gateway publishes it, with a payment that the chain would take. */
export async function signedJob(keyring: Keyring, wallet: Wallet, change: JobChange = {}): Promise<JobEvent> {
  const signed = change.signed ?? (await signAuthorization(wallet))
  const { from: payer, nonce, value, to, validBefore } = signed.authorization
  const keyHash = change.keyHash ?? keyHashOf(randomUUID())
  const attempt = change.attempt ?? 0
  const jobId = jobIdOf({ keyHash, payer, nonce, attempt })
  return {
    type: 'job',
    version: 1,
    jobId,
    requestId: randomUUID(),
    keyHash,
    fingerprint: change.fingerprint ?? sha256Hex(keyHash),
    endpoint: change.endpoint ?? '/v1/chat/completions',
    model: 'gm-2.5-flash',
    catalogVersion: '2026-11-21.0123abcd',
    amountAtomic: value,
    priceInputs: { input_tokens: 12, max_tokens: 64 },
    payer,
    nonce,
    payTo: to,
    validBefore: Number(validBefore),
    attempt,
    admittedAt: Date.now(),
    deadline: change.deadline ?? Date.now() + 60_000,
    payment: sealedPayment(keyring, jobId, signed),
    request: { inline: seal(keyring, Buffer.from('{"messages":[]}'), sealedFor.request(jobId)).toString('base64') },
  }
}

export function succeeded(keyring: Keyring, job: JobEvent, body = '{"answer":"yes"}'): OutcomeEvent {
  const bytes = Buffer.from(body)
  return {
    type: 'outcome',
    version: OUTCOME_VERSION,
    kind: 'succeeded',
    jobId: job.jobId,
    keyHash: job.keyHash,
    startedAt: Date.now() - 5,
    finishedAt: Date.now(),
    result: {
      contentType: 'application/json',
      body: { inline: seal(keyring, bytes, sealedFor.result(job.jobId)).toString('base64') },
      sha256: sha256Hex(bytes),
      bytes: bytes.length,
    },
    usage: { input_tokens: 12, output_tokens: 3 },
  }
}

export function unsuccessful(job: JobEvent, kind: 'failed' | 'refused' | 'ambiguous'): OutcomeEvent {
  const code = { failed: 'provider_overloaded', refused: 'content_blocked', ambiguous: 'provider_outcome_unknown' } as const
  const { jobId, keyHash } = job
  const times = { startedAt: null, finishedAt: Date.now() }
  return { type: 'outcome', version: OUTCOME_VERSION, kind, jobId, keyHash, ...times, code: code[kind], retryAfterS: 3 }
}
