import { type JobEvent, type Parsed, parseImageRequest, parseSpeechRequest } from '@turnpike/contracts'
import { openKeyring, readMediaCapability } from '@turnpike/sealing'
import { mediaObjectOf, type ObjectStore, openHostedMedia } from '@turnpike/storage'
import { buildJob, KEYRING } from '@turnpike/worker/testing'

export const IMAGE_MODEL = 'gm-3.1-flash-lite-image'
export const SPEECH_MODEL = 'el/flash-v2.5'
export const PUBLIC_BASE_URL = 'http://127.0.0.1:8402'
export const CAPABILITY_KEYS = `media:${Buffer.alloc(32, 9).toString('base64')}`
export const CAPABILITY_KEYRING = openKeyring(CAPABILITY_KEYS)

type Changes = Partial<JobEvent> & { body?: object }

/** Jobs as the gateway admits them. */
export async function imageJob(store: ObjectStore, prompt: string, { body, ...changes }: Changes = {}): Promise<JobEvent> {
  const request = requestOf(parseImageRequest({ model: IMAGE_MODEL, prompt, ...body }))
  return await buildJob(store, { endpoint: '/v1/images/generations', request }, { amountAtomic: '35000', ...changes })
}
export async function speechJob(store: ObjectStore, input: string, { body, ...changes }: Changes = {}): Promise<JobEvent> {
  const request = requestOf(parseSpeechRequest({ model: SPEECH_MODEL, input, ...body }))
  return await buildJob(store, { endpoint: '/v1/audio/speech', request }, changes)
}

function requestOf<T>(parsed: Parsed<T>): T {
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return parsed.value
}

/** The file behind a URL of a response, read as the gateway reads it. */
export async function fileAt(store: ObjectStore, url: string) {
  const prefix = `${PUBLIC_BASE_URL}/v1/media/`
  if (!url.startsWith(prefix)) throw new Error('another address')
  const capability = readMediaCapability(CAPABILITY_KEYRING, url.slice(prefix.length))
  const object = capability === undefined ? undefined : mediaObjectOf(capability)
  if (object === undefined) throw new Error('no capability of ours')
  const media = await openHostedMedia({ store, contentKeys: KEYRING }, object, {
    use: 'whole',
    signal: AbortSignal.timeout(10_000),
  })
  const chunks: Buffer[] = []
  for await (const chunk of media.read({ first: 0, last: media.contentBytes - 1 })) chunks.push(chunk)
  return { bytes: Buffer.concat(chunks), contentType: object.contentType, expiresAtMs: object.expiresAtMs }
}
