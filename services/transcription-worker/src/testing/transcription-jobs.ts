import { audioKeys } from '@turnpike/admission'
import { type JobEvent, parseTranscriptionForm, sha256Hex } from '@turnpike/contracts'
import { walkMp3 } from '@turnpike/mp3'
import { openKeyring } from '@turnpike/sealing'
import type { ObjectStore } from '@turnpike/storage'
import { openStagingKeys, type StagedAudio, stagedAudio } from '@turnpike/storage/staged-audio'
import { buildJob, type TestParts } from '@turnpike/worker/testing'

export const TRANSCRIPTION_MODEL = 'el/scribe-v2'
export const STAGING_KEYS = `staging:${Buffer.alloc(32, 11).toString('base64')}`

export function stagingOf({ redis, store }: Pick<TestParts, 'redis' | 'store'>, keys = STAGING_KEYS): StagedAudio {
  const wrapping = openStagingKeys({ keyring: openKeyring(keys), kmsKeys: [], kmsEndpoint: undefined })
  if (wrapping === undefined) throw new Error('no wrapping key')
  return stagedAudio({ store, keys: audioKeys(redis), provider: wrapping.provider })
}

/** A job as the gateway admits it: its audio staged, its price from the walk. `fields` are those of a form. */
export async function transcriptionJob(
  { store, staging }: { store: ObjectStore; staging: StagedAudio },
  mp3: Buffer,
  { fields = {}, ...changes }: Partial<JobEvent> & { fields?: Record<string, string> } = {},
): Promise<JobEvent> {
  const options = parseTranscriptionForm(new Map(Object.entries({ model: TRANSCRIPTION_MODEL, ...fields })))
  const walk = walkMp3(mp3)
  if (!options.ok || !walk.ok) throw new Error('not a transcription')
  const sha256 = sha256Hex(mp3)
  const job = await buildJob(
    store,
    { endpoint: '/v1/audio/transcriptions', request: { ...options.value, audio_sha256: sha256 } as { model: string } },
    { priceInputs: { audio_duration_ms: walk.durationMs }, ...changes },
  )
  const audio = await staging.stage({ jobId: job.jobId, bytes: new Uint8Array(mp3), sha256, lifetimeMs: 600_000 })
  return { ...job, audio }
}
