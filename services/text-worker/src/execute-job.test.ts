import { randomUUID } from 'node:crypto'
import { upstreamHealth } from '@turnpike/admission'
import { openGemini, openTargets, type TextUpstream } from '@turnpike/providers'
import { createLogger, createMetrics } from '@turnpike/service'
import { targetReport, workerMetrics } from '@turnpike/worker'
import { bodyOf, startTestParts, type TestParts, type TestWorker, testWorker } from '@turnpike/worker/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ExecuteDeps, executeJob } from './execute-job.ts'
import { buildChatJob } from './testing/build-job.ts'
import { startTestUpstream, type TestUpstream, UPSTREAM_KEY } from './testing/test-upstream.ts'

let parts: TestParts
let upstream: TestUpstream
let gemini: TextUpstream

beforeAll(async () => {
  parts = await startTestParts()
  upstream = await startTestUpstream()
  gemini = openGemini({
    baseUrl: upstream.geminiUrl,
    apiKey: UPSTREAM_KEY,
    maxConnections: 8,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 },
  })
})
afterAll(async () => {
  await gemini?.close()
  await upstream?.close()
  await parts?.close()
})
beforeEach(() => upstream.noFaults())

const text = () => `Question ${randomUUID()}`

function worker(changes: Partial<ExecuteDeps> = {}): TestWorker {
  const metrics = createMetrics(`test-${randomUUID()}`)
  const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
  const execute = executeJob({
    routes: new Map([['gm-2.5-flash', [{ upstream: gemini, target: 'gemini-2.5-flash' }]]]),
    targets: openTargets({
      shared: upstreamHealth(parts.redis, randomUUID()),
      report: targetReport(metrics, logger),
      breakerFailures: 5,
      breakerOpenMs: 60_000,
      breakerMaxOpenMs: 60_000,
    }),
    metrics: workerMetrics(metrics),
    logger,
    now: Date.now,
    ...changes,
  })
  return testWorker(parts, { execute })
}

describe('a job', () => {
  it('becomes one call and one response in its dialect', async () => {
    const question = text()
    const job = await buildChatJob(parts.store, question)
    const { handle, outcomes, published } = worker()
    await handle(job)
    expect(await upstream.callsWith(question)).toHaveLength(1)
    const [outcome] = outcomes()
    expect(outcome).toMatchObject({ kind: 'succeeded', jobId: job.jobId, keyHash: job.keyHash })
    expect(outcome).toMatchObject({
      usage: {
        input_tokens: expect.any(Number),
        cached_input_tokens: 0,
        output_tokens: expect.any(Number),
        reasoning_tokens: 0,
        total_tokens: expect.any(Number),
      },
    })
    const body = await bodyOf(parts.store, outcome)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      model: 'gm-2.5-flash',
      choices: [{ message: { content: expect.stringContaining(question) }, finish_reason: 'stop' }],
    })
    expect(JSON.stringify(body)).not.toContain('gemini')
    expect(published[0]?.value.includes(question)).toBe(false)
  })

  it.each([
    ['without a route', { routes: new Map() }, {}, { kind: 'failed', code: 'provider_unavailable' }],
    ['of an endpoint that is not text', {}, { endpoint: '/v1/audio/speech' }, { kind: 'failed', code: 'job_unreadable' }],
  ] as const)('%s ends without a call', async (_title, deps, changes, expected) => {
    const question = text()
    const { handle, outcomes } = worker(deps)
    await handle(await buildChatJob(parts.store, question, changes))
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.callsWith(question)).toEqual([])
  })
})

describe('a provider that', () => {
  it.each<[string, Parameters<TestUpstream['fault']>[0], object, number]>([
    ['is overloaded', { kind: 'status-503' }, { kind: 'failed', code: 'provider_overloaded' }, 2],
    [
      'limits the rate',
      { kind: 'status-429' },
      { kind: 'failed', code: 'provider_overloaded', retryAfterS: expect.any(Number) },
      1,
    ],
    ['fails', { kind: 'status-500' }, { kind: 'failed', code: 'provider_unavailable' }, 1],
    ['hangs up', { kind: 'reset-before-response' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1],
    ['sends half an answer', { kind: 'truncated-body' }, { kind: 'ambiguous', code: 'provider_outcome_unknown' }, 1],
    ['answers with nothing', { kind: 'no-content' }, { kind: 'failed', code: 'provider_unusable_answer' }, 1],
    ['blocks the answer', { kind: 'blocked' }, { kind: 'succeeded' }, 1],
  ])('%s makes the outcome %j', async (_title, fault, expected, calls) => {
    const question = text()
    await upstream.fault(fault)
    const { handle, outcomes } = worker()
    await handle(await buildChatJob(parts.store, question))
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.callsWith(question)).toHaveLength(calls)
  })

  it('does not answer before the deadline makes it ambiguous', async () => {
    const question = text()
    await upstream.fault({ kind: 'hang' })
    const { handle, outcomes } = worker()
    await handle(await buildChatJob(parts.store, question, { deadline: Date.now() + 700 }))
    expect(outcomes()).toMatchObject([{ kind: 'ambiguous', code: 'provider_outcome_unknown' }])
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })
})
