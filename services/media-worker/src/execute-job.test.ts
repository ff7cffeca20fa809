import { randomUUID } from 'node:crypto'
import { upstreamHealth } from '@turnpike/admission'
import { walkMp3 } from '@turnpike/mp3'
import { type ImageUpstream, openElevenLabsSpeech, openGeminiImages, openTargets, type SpeechUpstream } from '@turnpike/providers'
import { createLogger, createMetrics } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { targetReport, workerMetrics } from '@turnpike/worker'
import { bodyOf, KEYRING, startTestParts, type TestParts, type TestWorker, testWorker } from '@turnpike/worker/testing'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { executeJob } from './execute-job.ts'
import {
  CAPABILITY_KEYRING,
  fileAt,
  IMAGE_MODEL,
  imageJob,
  PUBLIC_BASE_URL,
  SPEECH_MODEL,
  speechJob,
} from './testing/media-jobs.ts'
import { noise } from './testing/noise-image.ts'
import {
  IMAGE_TARGET,
  SPEECH_TARGET,
  startTestUpstream,
  type TestUpstream,
  UPSTREAM_KEY,
  VOICE_ID,
} from './testing/test-upstream.ts'

let parts: TestParts
let store: ObjectStore
let upstream: TestUpstream
let images: ImageUpstream
let speech: SpeechUpstream

beforeAll(async () => {
  parts = await startTestParts()
  store = parts.store
  upstream = await startTestUpstream()
  const common = {
    apiKey: UPSTREAM_KEY,
    maxConnections: 8,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 },
  }
  images = openGeminiImages({ ...common, baseUrl: upstream.geminiUrl })
  speech = openElevenLabsSpeech({ ...common, baseUrl: upstream.elevenlabsUrl, voices: new Map([['darian', VOICE_ID]]) })
})
afterAll(async () => {
  await images?.close()
  await speech?.close()
  await upstream?.close()
  await parts?.close()
})
beforeEach(() => upstream.noFaults())

const text = () => `Media ${randomUUID()}`

function worker(changes: { images?: ImageUpstream; speech?: SpeechUpstream; store?: ObjectStore } = {}): TestWorker {
  const metrics = createMetrics(`test-${randomUUID()}`)
  const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
  const own = changes.store ?? store
  const execute = executeJob({
    targets: openTargets({
      shared: upstreamHealth(parts.redis, randomUUID()),
      report: targetReport(metrics, logger),
      breakerFailures: 1_000,
      breakerOpenMs: 60_000,
      breakerMaxOpenMs: 60_000,
    }),
    imageRoutes: new Map([[IMAGE_MODEL, [{ upstream: changes.images ?? images, target: IMAGE_TARGET }]]]),
    speechRoutes: new Map([[SPEECH_MODEL, [{ upstream: changes.speech ?? speech, target: SPEECH_TARGET }]]]),
    hosting: { store: own, contentKeys: KEYRING, capabilityKeys: CAPABILITY_KEYRING, atRest: 'sealed', now: Date.now },
    publicBaseUrl: PUBLIC_BASE_URL,
    metrics: workerMetrics(metrics),
    logger,
  })
  return testWorker({ ...parts, store: own }, { execute })
}
type Item = Record<string, unknown> & { url: string; b64_json?: string }
const itemOf = (body: Record<string, unknown>): Item => (body.data as Item[])[0] as Item

describe('an image job', () => {
  it('becomes one call, a stored image and a response that names it', async () => {
    const prompt = text()
    const { handle, outcomes } = worker()
    await handle(await imageJob(store, prompt))
    expect(await upstream.callsWith(prompt)).toMatchObject([{ upstream: 'gemini', model: IMAGE_TARGET }])
    expect(outcomes()).toMatchObject([
      { kind: 'succeeded', usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) } },
    ])
    const body = await bodyOf(store, outcomes()[0])
    expect(body).toMatchObject({
      model: IMAGE_MODEL,
      image_size: '1K',
      aspect_ratio: '1:1',
      price: { amount: '0.035', currency: 'USD' },
    })
    expect(Object.keys(itemOf(body)).sort()).toEqual(['backed_up', 'url', 'url_expires_at', 'url_retention_days'])
    const file = await fileAt(store, itemOf(body).url)
    expect(file.contentType).toBe('image/png')
    expect(new Date(file.expiresAtMs).toISOString()).toBe(itemOf(body).url_expires_at)
    expect(await sharp(file.bytes).metadata()).toMatchObject({ format: 'png', width: 1_024, height: 1_024 })
    expect(JSON.stringify(body)).not.toContain('gemini')
  })

  it('carries the same image in the response when that was asked for', async () => {
    const { handle, outcomes } = worker()
    await handle(await imageJob(store, text(), { body: { response_format: 'b64_json' } }))
    const item = itemOf(await bodyOf(store, outcomes()[0]))
    expect((await fileAt(store, item.url)).bytes.equals(Buffer.from(item.b64_json ?? '', 'base64'))).toBe(true)
  })

  it('whose provider sends a JPEG is hosted as one', async () => {
    const bytes = await noise().jpeg().toBuffer()
    const { handle, outcomes } = worker({ images: drawing(bytes) })
    await handle(await imageJob(store, text()))
    const file = await fileAt(store, itemOf(await bodyOf(store, outcomes()[0])).url)
    expect([file.contentType, file.bytes.equals(bytes)]).toEqual(['image/jpeg', true])
  })

  it.each<[string, () => Promise<Buffer>]>([
    ['a cut file', async () => (await noise().png().toBuffer()).subarray(0, 100_000)],
    ['another size', async () => await noise({ width: 512, height: 512 }).png().toBuffer()],
    ['another format', async () => await noise().webp().toBuffer()],
  ])('whose provider sends %s fails for sure, and nothing is stored', async (_title, make) => {
    const puts: string[] = []
    const { handle, outcomes } = worker({ images: drawing(await make()), store: watched(puts) })
    await handle(await imageJob(store, text()))
    expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'provider_unusable_answer' }])
    expect(puts).toEqual([])
  })
})

const drawing = (bytes: Buffer): ImageUpstream => ({
  draw: async () => ({
    kind: 'succeeded',
    value: { bytes, usage: { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2, reasoningTokens: 0 } },
  }),
  close: async () => {},
})
const watched = (puts: string[], failuresLeft = { count: 0 }): ObjectStore => ({
  ...store,
  async put(key, bytes, options) {
    failuresLeft.count -= 1
    if (failuresLeft.count >= 0) throw new Error('the store is away')
    puts.push(key)
    await store.put(key, bytes, options)
  },
})

describe('a speech job', () => {
  it('becomes one call, a stored MP3 and a response with what was measured', async () => {
    const input = `${text()} 👋`
    const { handle, outcomes } = worker()
    await handle(await speechJob(store, input))
    expect(await upstream.callsWith(input)).toMatchObject([{ upstream: 'elevenlabs', model: SPEECH_TARGET }])
    const characters = [...input].length
    expect(outcomes()).toMatchObject([
      { kind: 'succeeded', usage: { input_characters: characters, character_cost: Math.ceil(characters / 2) } },
    ])
    const body = await bodyOf(store, outcomes()[0])
    expect(Object.keys(body).sort()).toEqual(['created', 'data', 'id', 'model', 'usage'])
    expect(body).toMatchObject({ model: SPEECH_MODEL, usage: { input_characters: characters } })
    const file = await fileAt(store, itemOf(body).url)
    expect(itemOf(body)).toMatchObject({
      format: 'mp3',
      content_type: 'audio/mpeg',
      bytes: file.bytes.length,
      characters,
      expires_at: new Date(file.expiresAtMs).toISOString(),
      backed_up: true,
    })
    expect(walkMp3(file.bytes)).toMatchObject({ ok: true, durationMs: itemOf(body).duration_ms })
    // The sandbox speaks a character in 65 ms.
    expect(Math.abs((itemOf(body).duration_ms as number) - characters * 65)).toBeLessThan(60)
  })

  it.each([Buffer.from('ID3'), Buffer.from('RIFF....WAVE'), Buffer.alloc(40_000, 7)])(
    'whose provider sends no MP3 fails for sure',
    async (mp3) => {
      const broken: SpeechUpstream = { speak: async () => ({ kind: 'succeeded', value: { mp3 } }), close: async () => {} }
      const { handle, outcomes } = worker({ speech: broken })
      await handle(await speechJob(store, text()))
      expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'provider_unusable_answer' }])
    },
  )
})

describe.each([
  ['image', imageJob],
  ['speech', speechJob],
] as const)('an %s job', (kind, build) => {
  it('whose result cannot be stored is called once and stored when that works again', async () => {
    const asked = text()
    const puts: string[] = []
    const { handle, outcomes } = worker({ store: watched(puts, { count: 3 }) })
    await handle(await build(store, asked))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(await upstream.callsWith(asked)).toHaveLength(1)
    expect(puts).toMatchObject([expect.stringMatching(new RegExp(`^media/${kind}/`))])
  })

  it.each<[string, Parameters<TestUpstream['fault']>[0], object, number]>([
    ['is overloaded', { kind: 'status-503' }, { kind: 'failed', code: 'provider_overloaded' }, 2],
    ['hangs up', { kind: 'reset-before-response' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1],
    ['sends half an answer', { kind: 'truncated-body' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1],
    ['sends something else', { kind: 'invalid-json' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1],
    ['refuses', { kind: 'blocked' }, { kind: 'refused', code: 'content_blocked' }, 1],
    [
      'makes nothing',
      { kind: 'no-content' },
      kind === 'image' ? { kind: 'refused', code: 'content_blocked' } : { kind: 'failed', code: 'provider_unusable_answer' },
      1,
    ],
  ])('whose provider %s is not a success', async (_title, fault, expected, calls) => {
    const asked = text()
    await upstream.fault(fault)
    const { handle, outcomes } = worker()
    await handle(await build(store, asked))
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.callsWith(asked)).toHaveLength(calls)
  })

  it('of a model without a route, or of another endpoint, ends without a call', async () => {
    const { handle, outcomes } = worker()
    await handle(await build(store, text(), { model: 'gm-other' }))
    await handle(await build(store, text(), { endpoint: '/v1/chat/completions' }))
    expect(outcomes()).toMatchObject([
      { kind: 'failed', code: 'provider_unavailable' },
      { kind: 'failed', code: 'job_unreadable' },
    ])
  })
})
