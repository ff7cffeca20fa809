import type { JobEvent } from '@turnpike/contracts'
import type { Logger } from '@turnpike/service'
import type { StagedAudio } from '@turnpike/storage/staged-audio'
import { retryUntilDone } from '@turnpike/worker'

export type OpenAudioDeps = { staging: Pick<StagedAudio, 'open'>; logger: Logger }

/**
 * The audio of a job, proven to be the one that it was admitted with; `unreadable` where it can never be had again: its data key lapsed or
 * was lost, its bytes are gone or altered. What only is away is waited for until the deadline.
 */
export async function openAudio(
  { staging, logger }: OpenAudioDeps,
  { jobId, audio }: JobEvent,
  sha256: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | 'unreadable' | 'too_late'> {
  if (audio === undefined) return 'unreadable'
  try {
    const opened = await retryUntilDone(() => staging.open(audio, { jobId, sha256 }), {
      signal,
      onFailure: (error) => logger.warn({ jobId, error }, 'the audio could not be fetched, trying again'),
    })
    if (opened.ok) return opened.bytes
    logger.error({ jobId, why: opened.why }, 'the audio cannot be opened any more')
    return 'unreadable'
  } catch (error) {
    logger.error({ jobId, error }, 'the audio could not be fetched in time')
    return 'too_late'
  }
}
