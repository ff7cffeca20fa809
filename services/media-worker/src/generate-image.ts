import type { EffectiveImageRequest, JobEvent } from '@turnpike/contracts'
import type { ImageUpstream } from '@turnpike/providers'
import type { JobEnd, JobLimits, NotCalled } from '@turnpike/worker'
import { type CallDeps, callAndVerify, type Route } from './call-and-verify.ts'
import { type HostingDeps, hostResult } from './host-result.ts'
import { IMAGE_RETENTION_MS, imageResponse, imageUsage } from './image-response.ts'
import { verifyImage } from './verify-image.ts'

export type GenerateImageDeps = CallDeps & HostingDeps & { imageRoutes: ReadonlyMap<string, Route<ImageUpstream>> }

export async function generateImage(
  deps: GenerateImageDeps,
  job: JobEvent,
  request: EffectiveImageRequest,
  limits: JobLimits,
): Promise<JobEnd | NotCalled> {
  const wanted = { prompt: request.prompt, imageSize: request.image_size, aspectRatio: request.aspect_ratio }
  const called = await callAndVerify(
    deps,
    job,
    deps.imageRoutes.get(job.model),
    { call: (upstream, target, own) => upstream.draw(target, wanted, own), verify: verifyImage },
    limits,
  )
  if (called.kind !== 'succeeded') return called
  const { bytes, contentType, usage } = called.value
  const media = { kind: 'image', bytes, contentType, retentionMs: IMAGE_RETENTION_MS } as const
  const hosted = await hostResult(deps, job, media, limits.lifetime)
  return {
    kind: 'succeeded',
    body: Buffer.from(JSON.stringify(imageResponse(job, request, { bytes, ...hosted }))),
    contentType: 'application/json',
    usage: imageUsage(usage),
  }
}
