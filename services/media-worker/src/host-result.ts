import type { JobEvent } from '@turnpike/contracts'
import type { Logger } from '@turnpike/service'
import { type HostMediaDeps, hostMedia, type MediaToHost } from '@turnpike/storage'
import { retryUntilDone } from '@turnpike/worker'

export type HostingDeps = {
  hosting: HostMediaDeps
  /** Without a trailing slash. */
  publicBaseUrl: string
  logger: Logger
}

/** Where a result can be fetched. The URL is a capability: it stands in the response and nowhere else. */
export type HostedResult = { url: string; expiresAtMs: number }

/** Stores a result until it is stored, or `lifetime` ends: the provider was paid for it and is not asked again. */
export async function hostResult(
  { hosting, publicBaseUrl, logger }: HostingDeps,
  { jobId }: JobEvent,
  media: MediaToHost,
  lifetime: AbortSignal,
): Promise<HostedResult> {
  const { capability, expiresAtMs } = await retryUntilDone(() => hostMedia(hosting, media), {
    signal: lifetime,
    onFailure: (error, failures) => logger.warn({ jobId, failures, error }, 'the result could not be stored, trying again'),
  })
  return { url: `${publicBaseUrl}/v1/media/${capability}`, expiresAtMs }
}
