import type { StoredContent } from '@turnpike/contracts'
import { MAX_STAGING_MS } from '@turnpike/storage'
import type { Exchange, PaidDeps } from './deps.ts'
import type { SignedRequest } from './effective-request.ts'
import type { RequestContent } from './held-content.ts'

/** A store may take longer for 25 MiB than a claim lasts that nobody renews. */
const RENEW_EVERY_MS = 5_000
/** Beyond the provider's deadline, for clocks that differ. A worker starts nothing after the deadline, so nobody needs it longer. */
const KEPT_BEYOND_DEADLINE_MS = 300_000

type StageDeps = Pick<PaidDeps, 'staging'>

/**
 * Stages the audio of a request whose payment was verified, under a fresh key each time, for as long as its job may need it. Undefined where
 * there is no audio. Throws the faults of what it needs; then nothing is left behind.
 */
export async function stageAudio(
  { staging }: StageDeps,
  { audio, deadlineMs }: Pick<SignedRequest, 'deadlineMs'> & Pick<RequestContent, 'audio'>,
  { jobId, keepClaim }: { jobId: string; keepClaim: () => Promise<unknown> },
): Promise<StoredContent | undefined> {
  if (audio === undefined) return undefined
  if (staging === undefined) throw new TypeError('audio was taken and there is no key to stage it with')
  const renewal = setInterval(() => void keepClaim().catch(() => {}), RENEW_EVERY_MS)
  try {
    const { bytes, sha256 } = audio
    const lifetimeMs = Math.min(MAX_STAGING_MS, deadlineMs + KEPT_BEYOND_DEADLINE_MS)
    return await staging.stage({ jobId, bytes, sha256, lifetimeMs })
  } finally {
    clearInterval(renewal)
  }
}

/** For a job that was not published. Best effort: what is left lapses with its key and is swept. */
export async function discardAudio(
  { staging }: StageDeps,
  { log }: Pick<Exchange, 'log'>,
  staged: StoredContent | undefined,
): Promise<void> {
  if (staged === undefined) return
  await staging?.discard(staged).catch((error: unknown) => log.warn({ error }, 'staged audio was not deleted'))
}
