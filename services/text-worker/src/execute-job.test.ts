import { randomUUID } from 'node:crypto'
import { upstreamHealth } from '@turnpike/admission'
import { openGemini, openImageFetcher, openTargets, type TextUpstream } from '@turnpike/providers'
import { createLogger, createMetrics } from '@turnpike/service'
import { targetReport, workerMetrics } from '@turnpike/worker'
import { bodyOf, buildJob, startTestParts, type TestParts, type TestWorker, testWorker } from '@turnpike/worker/testing'
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
    fetchImages: openImageFetcher(),
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

describe('a request of the messages endpoint', () => {
  const messagesJob = (fields: object) => {
    const request = { model: 'gm-2.5-flash', max_tokens: 64, stream: false, ...fields }
    return buildJob(parts.store, { endpoint: '/v1/messages', request })
  }

  it('is answered in its own dialect', async () => {
    const question = text()
    const { handle, outcomes } = worker()
    await handle(await messagesJob({ messages: [{ role: 'user', content: question }] }))
    const body = await bodyOf(parts.store, outcomes()[0])
    expect(body).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      type: 'message',
      role: 'assistant',
      model: 'gm-2.5-flash',
      content: [{ type: 'text', text: expect.stringContaining(question) }],
      stop_reason: 'end_turn',
      usage: { output_tokens: expect.any(Number) },
    })
    expect(body).not.toHaveProperty('provider_output')
  })

  it('gets at most one call when it wants them one by one, and what the provider said when it asks for that', async () => {
    const tool = (name: string) => ({ name, input_schema: { type: 'object', properties: {} } })
    const { handle, outcomes } = worker()
    const request = {
      messages: [{ role: 'user', content: 'call tide and moon' }],
      tools: [tool('tide'), tool('moon')],
      raw_output: true,
    }
    await handle(await messagesJob(request))
    await handle(await messagesJob({ ...request, tool_choice: { type: 'auto', disable_parallel_tool_use: true } }))
    const [both, one] = await Promise.all(outcomes().map((outcome) => bodyOf(parts.store, outcome)))
    expect(both).toMatchObject({ content: [{ name: 'tide' }, { name: 'moon' }], stop_reason: 'tool_use' })
    expect(one).toMatchObject({ content: [{ id: expect.stringMatching(/^toolu_[0-9a-f]{32}$/), name: 'tide' }] })
    expect(one?.content).toHaveLength(1)
    expect(one).toMatchObject({ provider_output: { parts: [{ functionCall: { name: 'tide', args: {} } }, {}] } })
  })
})

describe('an image by URL', () => {
  const content = (url: string, question: string) => ({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: question },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  })

  it('that cannot be had ends the job before the provider hears of it', async () => {
    const question = text()
    const { handle, outcomes } = worker()
    await handle(await buildChatJob(parts.store, question, { body: content('https://169.254.169.254/latest', question) }))
    expect(outcomes()).toMatchObject([{ kind: 'refused', code: 'image_unavailable' }])
    expect(await upstream.callsWith(question)).toEqual([])
  })

  it('goes to the provider as its bytes', async () => {
    const question = text()
    const url = 'https://images.example/a.png'
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const asked: (readonly string[])[] = []
    const { handle, outcomes } = worker({
      async fetchImages(urls) {
        asked.push(urls)
        return { ok: true, images: new Map([[url, { type: 'image', mimeType: 'image/png', base64 }]]) }
      },
    })
    await handle(await buildChatJob(parts.store, question, { body: content(url, question) }))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(asked).toEqual([[url]])
    const [call] = await upstream.callsWith(question)
    expect(call).toMatchObject({ outcome: 'ok' })
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
