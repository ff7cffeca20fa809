import { randomUUID } from 'node:crypto'
import type { EffectiveTranscriptionRequest, JobEvent } from '@turnpike/contracts'
import {
  callTargets,
  type TargetCall,
  type TargetDeps,
  type Transcript,
  type TranscriptionRequest,
  type TranscriptionUpstream,
} from '@turnpike/providers'
import type { Logger } from '@turnpike/service'
import {
  type ExecuteJob,
  type JobEnd,
  type JobLimits,
  type NotCalled,
  notCalled,
  unsuccessfulEnd,
  type WorkerMetrics,
} from '@turnpike/worker'
import { type OpenAudioDeps, openAudio } from './open-audio.ts'
import { transcriptionResponse, transcriptionUsage } from './transcription-response.ts'

export type Route = readonly { upstream: TranscriptionUpstream; target: string }[]
export type ExecuteDeps = OpenAudioDeps & {
  routes: ReadonlyMap<string, Route>
  targets: TargetDeps
  metrics: WorkerMetrics
  logger: Logger
  now: () => number
}

/** One provider call for one transcription. */
export function executeJob(deps: ExecuteDeps): ExecuteJob {
  return async (job, request, limits) =>
    job.endpoint === '/v1/audio/transcriptions'
      ? await transcribe(deps, job, request as EffectiveTranscriptionRequest, limits)
      : notCalled('job_unreadable')
}

async function transcribe(
  deps: ExecuteDeps,
  job: JobEvent,
  request: EffectiveTranscriptionRequest,
  limits: JobLimits,
): Promise<JobEnd | NotCalled> {
  const { jobId, requestId, model } = job
  const route = deps.routes.get(model)
  // Another replica's configuration offered it: ours is wrong, or it was taken back since.
  if (route === undefined) return notCalled('provider_unavailable')
  const durationMs = Number(job.priceInputs.audio_duration_ms)
  if (!Number.isSafeInteger(durationMs) || durationMs < 1) return notCalled('job_unreadable')
  const mp3 = await openAudio(deps, job, request.audio_sha256, limits.signal)
  if (mp3 === 'unreadable') return notCalled('job_unreadable')
  if (mp3 === 'too_late') return notCalled('deadline_passed')

  const asked = askedFor(request, mp3)
  const calls = route.map<TargetCall<Transcript>>(
    ({ upstream, target }) =>
      (own) =>
        upstream.transcribe(target, asked, own),
  )
  const callEnded = deps.metrics.callStarted(model)
  const outcome = await callTargets(deps.targets, model, calls, limits)
  callEnded(outcome)
  if (outcome.kind !== 'succeeded') {
    const { kind, code, reason } = outcome
    deps.logger.warn({ jobId, requestId, model, kind, code, reason }, 'provider call failed')
    return unsuccessfulEnd(outcome)
  }
  const identity = {
    id: `transcription_${randomUUID().replaceAll('-', '')}`,
    createdS: Math.floor(deps.now() / 1000),
    durationMs,
  }
  return {
    kind: 'succeeded',
    body: Buffer.from(JSON.stringify(transcriptionResponse(identity, request, outcome.value))),
    contentType: 'application/json',
    usage: transcriptionUsage(durationMs, outcome.value),
  }
}

function askedFor(request: EffectiveTranscriptionRequest, mp3: Uint8Array<ArrayBuffer>): TranscriptionRequest {
  const { language, diarize, num_speakers: numSpeakers, timestamps, tag_audio_events: tagAudioEvents } = request
  return {
    mp3,
    diarize,
    timestamps,
    tagAudioEvents,
    ...(language === undefined ? {} : { language }),
    ...(numSpeakers === undefined ? {} : { numSpeakers }),
  }
}
