import { randomUUID } from 'node:crypto'
import type { EffectiveSpeechRequest, JobEvent } from '@turnpike/contracts'
import type { SpeechUpstream } from '@turnpike/providers'
import type { JobEnd, JobLimits, NotCalled } from '@turnpike/worker'
import { type CallDeps, callAndVerify, type Route } from './call-and-verify.ts'
import { type HostingDeps, hostResult } from './host-result.ts'
import { SPEECH_RETENTION_MS, speechResponse, speechUsage } from './speech-response.ts'
import { verifySpeech } from './verify-speech.ts'

export type SynthesizeSpeechDeps = CallDeps & HostingDeps & { speechRoutes: ReadonlyMap<string, Route<SpeechUpstream>> }

export async function synthesizeSpeech(
  deps: SynthesizeSpeechDeps,
  job: JobEvent,
  request: EffectiveSpeechRequest,
  limits: JobLimits,
): Promise<JobEnd | NotCalled> {
  const wanted = { text: request.input, voice: request.voice, speed: request.speed }
  const called = await callAndVerify(
    deps,
    job,
    deps.speechRoutes.get(job.model),
    { call: (upstream, target, own) => upstream.speak(target, wanted, own), verify: verifySpeech },
    limits,
  )
  if (called.kind !== 'succeeded') return called
  const { mp3: bytes, durationMs, characterCost } = called.value
  const media = { kind: 'speech', bytes, contentType: 'audio/mpeg', retentionMs: SPEECH_RETENTION_MS } as const
  const hosted = await hostResult(deps, job, media, limits.lifetime)
  const id = `speech-${randomUUID().replaceAll('-', '')}`
  return {
    kind: 'succeeded',
    body: Buffer.from(JSON.stringify(speechResponse(id, request, { bytes: bytes.length, durationMs, ...hosted }))),
    contentType: 'application/json',
    usage: speechUsage(request, characterCost),
  }
}
