import type { EffectiveImageRequest, EffectiveSpeechRequest } from '@turnpike/contracts'
import { type ExecuteJob, notCalled } from '@turnpike/worker'
import { type GenerateImageDeps, generateImage } from './generate-image.ts'
import { type SynthesizeSpeechDeps, synthesizeSpeech } from './synthesize-speech.ts'

/** One provider call for one media job; a result is verified, then stored, and only then answered. */
export function executeJob(deps: GenerateImageDeps & SynthesizeSpeechDeps): ExecuteJob {
  return async (job, request, limits) => {
    switch (job.endpoint) {
      case '/v1/images/generations':
        return await generateImage(deps, job, request as EffectiveImageRequest, limits)
      case '/v1/audio/speech':
        return await synthesizeSpeech(deps, job, request as EffectiveSpeechRequest, limits)
      default:
        return notCalled('job_unreadable')
    }
  }
}
