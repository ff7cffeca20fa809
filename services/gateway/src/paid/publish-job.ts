import type { Quote } from '@turnpike/admission'
import { JOB_VERSION, type JobEvent, jobCodec, jobTopicOf, type StoredContent, sealedFor } from '@turnpike/contracts'
import { type MessageToPublish, PublishError, schemaVersionHeader, traceparentHeader } from '@turnpike/kafka'
import { seal } from '@turnpike/sealing'
import { childTraceparent } from '@turnpike/service'
import { packContent } from '@turnpike/storage'
import { requirementsFor } from './check-payment.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import type { SignedRequest } from './effective-request.ts'

const PUBLISH_DEADLINE_MS = 8_000

/**
 * Publishes the job with everything that the workers and the ledger need, sealed. `not_published` is certain; a publish that may
 * have arrived counts as published, because the job may run.
 */
export async function publishJob(
  deps: PaidDeps,
  exchange: Exchange,
  request: SignedRequest,
  admission: {
    quote: Quote
    jobId: string
    attempt: number
    canonicalBody: string
    audio: StoredContent | undefined
    keepClaim: () => Promise<unknown>
  },
): Promise<'published' | 'not_published'> {
  const { jobId, quote, attempt, audio } = admission
  const { from: payer, to: payTo, nonce, validBefore } = request.payment.authorization
  const sealedRequest = seal(deps.contentKeys, Buffer.from(admission.canonicalBody), sealedFor.request(jobId))
  const admittedAt = deps.now()
  const event: JobEvent = {
    type: 'job',
    version: JOB_VERSION,
    jobId,
    requestId: exchange.requestId,
    keyHash: request.keyHash,
    fingerprint: request.fingerprint,
    endpoint: request.endpoint,
    model: request.model,
    catalogVersion: quote.catalogVersion,
    amountAtomic: quote.amountAtomic.toString(),
    priceInputs: request.price.inputs,
    payer,
    nonce,
    payTo,
    validBefore: Number(validBefore),
    attempt,
    admittedAt,
    deadline: admittedAt + request.deadlineMs,
    payment: { inline: sealedPayment(deps, request, jobId, quote.amountAtomic) },
    request: await packContent(deps.store, sealedRequest, `requests/${jobId}`),
    ...(audio === undefined ? {} : { audio }),
  }
  const message = {
    topic: jobTopicOf(request.endpoint),
    key: jobId,
    value: jobCodec.encode(event),
    headers: { [traceparentHeader]: childTraceparent(exchange.traceparent), [schemaVersionHeader]: String(JOB_VERSION) },
  }
  const published = await publishUntilKnown(deps, exchange, {
    message,
    jobId,
    untilMs: event.deadline,
    keepClaim: admission.keepClaim,
  })
  if (published === 'published') exchange.log.info({ jobId, model: request.model, endpoint: request.endpoint }, 'job published')
  return published
}

type Publication = { message: MessageToPublish; jobId: string; untilMs: number; keepClaim: () => Promise<unknown> }

/**
 * A publish that may have arrived is sent again until one certainly has: it is the same job however often it arrives, and a client
 * that waits for a job nobody has would wait for nothing.
 */
async function publishUntilKnown(
  deps: PaidDeps,
  exchange: Exchange,
  { message, jobId, untilMs, keepClaim }: Publication,
): Promise<'published' | 'not_published'> {
  let maybeStored = false
  while (true) {
    try {
      await deps.publisher.publish(message, { deadlineMs: PUBLISH_DEADLINE_MS })
      return 'published'
    } catch (error) {
      if (!(error instanceof PublishError)) throw error
      exchange.log.warn({ error, jobId }, 'publish failed')
      maybeStored ||= error.maybeStored
    }
    if (!maybeStored) return 'not_published'
    if (deps.now() >= untilMs) return 'published'
    await keepClaim().catch(() => {})
  }
}

/** The payment as presented and what it pays, for the ledger alone. Base64 of the sealed JSON. */
export function sealedPayment(deps: PaidDeps, request: SignedRequest, jobId: string, amountAtomic: bigint): string {
  const content = { paymentPayload: request.payment.payload, paymentRequirements: requirementsFor(deps, request, amountAtomic) }
  return seal(deps.contentKeys, Buffer.from(JSON.stringify(content)), sealedFor.payment(jobId)).toString('base64')
}
