import { randomUUID } from 'node:crypto'
import { upstreamHealth } from '@turnpike/admission'
import type { JobEvent } from '@turnpike/contracts'
import { openElevenLabsTranscription, openTargets, type TranscriptionUpstream } from '@turnpike/providers'
import { speechClip } from '@turnpike/sandbox'
import { createLogger, createMetrics } from '@turnpike/service'
import type { StagedAudio } from '@turnpike/storage/staged-audio'
import { targetReport, workerMetrics } from '@turnpike/worker'
import { bodyOf, startTestParts, type TestParts, type TestWorker, testWorker } from '@turnpike/worker/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { executeJob } from './execute-job.ts'
import { startTestUpstream, TARGET, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'
import { stagingOf, TRANSCRIPTION_MODEL, transcriptionJob } from './testing/transcription-jobs.ts'

let parts: TestParts
let staging: StagedAudio
let upstream: TestUpstream
let scribe: TranscriptionUpstream

beforeAll(async () => {
  parts = await startTestParts()
  staging = stagingOf(parts)
  upstream = await startTestUpstream()
  scribe = openElevenLabsTranscription({
    baseUrl: upstream.elevenlabsUrl,
    apiKey: UPSTREAM_KEY,
    maxConnections: 8,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 },
  })
})
afterAll(async () => {
  await scribe?.close()
  await upstream?.close()
  await parts?.close()
})
beforeEach(async () => {
  await upstream.noFaults()
  await upstream.forgetCalls()
})

const clip = () => speechClip('Words that somebody said to a microphone.', { title: randomUUID() })
const admit = (changes: Parameters<typeof transcriptionJob>[2] = {}) =>
  transcriptionJob({ store: parts.store, staging }, clip(), changes)

function worker(own: StagedAudio = staging): TestWorker {
  const metrics = createMetrics(`test-${randomUUID()}`)
  const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
  const execute = executeJob({
    staging: own,
    routes: new Map([[TRANSCRIPTION_MODEL, [{ upstream: scribe, target: TARGET }]]]),
    targets: openTargets({
      shared: upstreamHealth(parts.redis, randomUUID()),
      report: targetReport(metrics, logger),
      breakerFailures: 1_000,
      breakerOpenMs: 60_000,
      breakerMaxOpenMs: 60_000,
    }),
    metrics: workerMetrics(metrics),
    logger,
    now: Date.now,
  })
  return testWorker(parts, { execute, discard: async ({ audio }) => void (audio && (await own.discard(audio))) })
}
const idOf = ({ audio }: JobEvent) => audio?.ref.slice('staging/'.length) ?? 'none'
/** What is left of a staging: its data key, its bytes. */
const leftOf = async (job: JobEvent) => [
  await parts.redis.exists(`a:{${idOf(job)}}`),
  await parts.store.get(job.audio?.ref ?? '', { maxBytes: 1_000_000 }).then(Boolean, () => false),
]

describe('a transcription job', () => {
  it('becomes one call, a response with what was measured, and an empty staging', async () => {
    const { handle, outcomes } = worker()
    const job = await admit()
    expect(await leftOf(job)).toEqual([1, true])
    await handle(job)
    expect(await upstream.calls()).toMatchObject([{ path: '/v1/speech-to-text', model: TARGET }])
    const durationMs = job.priceInputs.audio_duration_ms
    expect(outcomes()).toMatchObject([
      { kind: 'succeeded', usage: { input_audio_ms: durationMs, provider_audio_ms: expect.any(Number) } },
    ])
    const body = await bodyOf(parts.store, outcomes()[0])
    expect(body).toEqual({
      id: expect.stringMatching(/^transcription_[0-9a-f]{32}$/),
      created: expect.any(Number),
      model: TRANSCRIPTION_MODEL,
      text: expect.stringMatching(/^I heard \d+ milliseconds of audio\.$/),
      usage: { input_audio_ms: durationMs },
    })
    expect(Math.abs(Number(/\d+/.exec(String(body.text))?.[0]) - Number(durationMs))).toBeLessThan(2)
    expect(await leftOf(job)).toEqual([0, false])
  })

  it('hears what it was asked to', async () => {
    const { handle, outcomes } = worker()
    const fields = { timestamps: 'word', diarize: 'true', num_speakers: '3', tag_audio_events: 'true', language: 'deu' }
    await handle(await admit({ fields: { ...fields, response_format: 'verbose_json' } }))
    const body = await bodyOf(parts.store, outcomes()[0])
    expect(body).toMatchObject({ language: 'de', language_probability_millionths: 1_000_000 })
    const words = body.words as { text: string; type: string; speaker: string; start: number; end: number }[]
    expect(new Set(words.map(({ speaker }) => speaker)).size).toBe(3)
    expect(words.at(-1)).toMatchObject({ text: '(tone)', type: 'audio_event', start: expect.any(Number) })
  })

  it('of silence is a success with an empty text', async () => {
    await upstream.fault({ kind: 'no-content' })
    const { handle, outcomes } = worker()
    await handle(await admit({ fields: { timestamps: 'word' } }))
    expect(await bodyOf(parts.store, outcomes()[0])).toMatchObject({ text: '', words: [] })
  })

  it.each<[string, Parameters<TestUpstream['fault']>[0], object, number, unknown[]]>([
    ['is overloaded', { kind: 'status-503' }, { kind: 'failed', code: 'provider_overloaded' }, 2, [0, false]],
    ['refuses', { kind: 'blocked' }, { kind: 'refused', code: 'content_blocked' }, 1, [0, false]],
    ['fails', { kind: 'status-500' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1, [1, true]],
    ['hangs up', { kind: 'reset-before-response' }, { kind: 'ambiguous' }, 1, [1, true]],
    ['sends half an answer', { kind: 'truncated-body' }, { kind: 'ambiguous' }, 1, [1, true]],
    ['sends something else', { kind: 'invalid-json' }, { kind: 'ambiguous' }, 1, [1, true]],
  ])('whose provider %s leaves its staging only where nobody knows the end', async (_what, fault, expected, calls, left) => {
    await upstream.fault(fault)
    const { handle, outcomes } = worker()
    const job = await admit()
    await handle(job)
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.calls()).toHaveLength(calls)
    expect(await leftOf(job)).toEqual(left)
  })

  it('that is published once more after its end loses its second staging too', async () => {
    const { handle, outcomes } = worker()
    const job = await admit()
    await handle(job)
    const bytes = new Uint8Array(clip())
    const audio = await staging.stage({ jobId: job.jobId, bytes, sha256: '0'.repeat(64), lifetimeMs: 60_000 })
    const again = { ...job, audio }
    await handle(again)
    expect([outcomes().length, await leftOf(again)]).toEqual([1, [0, false]])
  })
})

describe('audio that cannot be had', () => {
  const unreadable = [{ kind: 'failed', code: 'job_unreadable' }]
  it.each<[string, (job: JobEvent) => Promise<JobEvent>]>([
    [
      'because its data key was lost',
      async (job) => {
        await parts.redis.del(`a:{${idOf(job)}}`)
        return job
      },
    ],
    [
      'because it is gone',
      async (job) => {
        await parts.store.delete(job.audio?.ref ?? '')
        return job
      },
    ],
    [
      'because it was altered',
      async (job) => {
        const { ref = '', bytes: maxBytes = 0 } = job.audio ?? {}
        const bytes = await parts.store.get(ref, { maxBytes })
        bytes[100] = (bytes[100] ?? 0) ^ 1
        await parts.store.put(ref, bytes)
        return job
      },
    ],
    ['because it was swapped', async (job) => ({ ...job, audio: (await admit()).audio })],
    ['because there is none', async ({ audio: _audio, ...job }) => job],
    ['because nobody knows how long it is', async (job) => ({ ...job, priceInputs: {} })],
  ])('%s is a definite failure without a call, and nothing is left of it', async (_what, change) => {
    const { handle, outcomes } = worker()
    const job = await change(await admit())
    await handle(job)
    expect(outcomes()).toMatchObject(unreadable)
    expect(await upstream.calls()).toEqual([])
    if (job.audio !== undefined) expect(await leftOf(job)).toEqual([0, false])
  })

  it('because its wrapping key is gone from the configuration is one too; a rotated one still opens', async () => {
    const other = `other:${Buffer.alloc(32, 12).toString('base64')}`
    const before = await admit()
    const rotatedOut = worker(stagingOf(parts, other))
    await rotatedOut.handle(before)
    expect(rotatedOut.outcomes()).toMatchObject(unreadable)
    const rotated = worker(stagingOf(parts, `${other},staging:${Buffer.alloc(32, 11).toString('base64')}`))
    await rotated.handle(await admit())
    expect(rotated.outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })

  it('is waited for while it only is away, until the deadline', async () => {
    let faults = 2
    const flaky: StagedAudio = {
      ...staging,
      open: async (...request) => {
        faults -= 1
        if (faults >= 0) throw new Error('the key service is away')
        return await staging.open(...request)
      },
    }
    const { handle, outcomes } = worker(flaky)
    await handle(await admit())
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    const away = worker({ ...staging, open: () => Promise.reject(new Error('away')) })
    await away.handle(await admit({ deadline: Date.now() + 700 }))
    expect(away.outcomes()).toMatchObject([{ kind: 'failed', code: 'deadline_passed' }])
  })

  it('of a model without a route, or of another endpoint, is not asked for', async () => {
    const { handle, outcomes } = worker()
    await handle(await admit({ model: 'el/other' }))
    await handle(await admit({ endpoint: '/v1/audio/speech' }))
    expect(outcomes()).toMatchObject([
      { kind: 'failed', code: 'provider_unavailable' },
      { kind: 'failed', code: 'job_unreadable' },
    ])
    expect(await upstream.calls()).toEqual([])
  })
})
