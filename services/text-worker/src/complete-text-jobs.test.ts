import { randomUUID } from 'node:crypto'
import { type JobEvent, type OutcomeEvent, sealedFor, sha256Hex } from '@turnpike/contracts'
import { PoisonMessage } from '@turnpike/kafka'
import { open } from '@turnpike/sealing'
import { type ObjectStore, unpackContent } from '@turnpike/storage'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CompleteDeps, completeTextJobs, reportDeadLetter } from './complete-text-jobs.ts'
import { buildJob, KEYRING } from './testing/build-job.ts'
import type { TestUpstream } from './testing/test-upstream.ts'
import { messageOf, startTestParts, type TestParts, type TestWorker, testWorker } from './testing/test-worker.ts'

let parts: TestParts
let redis: TestParts['redis']
let claims: TestParts['claims']
let store: TestParts['store']
let upstream: TestUpstream

beforeAll(async () => {
  parts = await startTestParts()
  ;({ redis, claims, store, upstream } = parts)
})
afterAll(() => parts.close())
beforeEach(() => upstream.noFaults())

const worker = (changes: Parameters<typeof testWorker>[1] = {}): TestWorker => testWorker(parts, changes)
const text = () => `Question ${randomUUID()}`

async function bodyOf(outcome: OutcomeEvent | undefined): Promise<Record<string, unknown>> {
  if (outcome?.kind !== 'succeeded') throw new Error(`not succeeded: ${JSON.stringify(outcome)}`)
  const plain = open(KEYRING, await unpackContent(store, outcome.result.body), sealedFor.result(outcome.jobId))
  expect(sha256Hex(plain)).toBe(outcome.result.sha256)
  expect(plain.length).toBe(outcome.result.bytes)
  return JSON.parse(plain.toString('utf8')) as Record<string, unknown>
}

describe('a job', () => {
  it('becomes one call and one sealed response under its key', async () => {
    const question = text()
    const job = await buildJob(store, question)
    const { handle, outcomes, published } = worker()
    await handle(job)
    expect(await upstream.callsWith(question)).toHaveLength(1)
    expect(published).toMatchObject([
      {
        topic: 'outcomes',
        key: job.jobId,
        headers: { 'schema-version': '1', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
      },
    ])
    const [outcome] = outcomes()
    expect(outcome).toMatchObject({ kind: 'succeeded', jobId: job.jobId, keyHash: job.keyHash })
    expect(outcome).toMatchObject({ usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) } })
    const body = await bodyOf(outcome)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      model: 'gm-2.5-flash',
      choices: [{ message: { content: expect.stringContaining(question) }, finish_reason: 'stop' }],
    })
    expect(JSON.stringify(body)).not.toContain('gemini')
    expect(published[0]?.value.includes(question)).toBe(false)
  })

  it('whose request and result do not fit into an event takes both through the store', async () => {
    const question = 'abcdefghi '.repeat(40_000)
    const job = await buildJob(store, question, { body: { max_tokens: 65_536 } })
    expect(job.request).toHaveProperty('ref')
    const { handle, outcomes } = worker()
    await handle(job)
    const [outcome] = outcomes()
    expect(outcome).toMatchObject({ result: { body: { ref: expect.stringMatching(new RegExp(`^results/${job.jobId}-`)) } } })
    expect(JSON.stringify(await bodyOf(outcome)).length).toBeGreaterThan(256 * 1024)
  })

  it('leaves no stored request behind once its outcome is out, and keeps it until then', async () => {
    const question = 'abcdefghk '.repeat(40_000)
    const job = await buildJob(store, question)
    if (!('ref' in job.request)) throw new Error('the request is not stored')
    const { ref, bytes: maxBytes } = job.request
    const isThere = () => store.get(ref, { maxBytes }).then(Boolean, () => false)
    const seen: boolean[] = []
    const publisher = {
      publish: async () => {
        seen.push(await isThere())
      },
    }
    const { handle } = worker({ publisher })
    await handle(job)
    expect(seen).toEqual([true])
    expect(await isThere()).toBe(false)
    // Published again by a client that came back: stored again too.
    await store.put(ref, Buffer.from('sealed'))
    await handle(job)
    expect(await isThere()).toBe(false)
  })

  it('is done although its stored request cannot be deleted', async () => {
    const job = await buildJob(store, 'abcdefgjk '.repeat(40_000))
    const { handle, outcomes } = worker({ store: { ...store, delete: () => Promise.reject(new Error('away')) } })
    await handle(job)
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })

  it('that is done is not done again', async () => {
    const question = text()
    const job = await buildJob(store, question)
    const { handle, outcomes } = worker()
    await handle(job)
    await handle(job)
    await worker().handle(job)
    expect(outcomes()).toHaveLength(1)
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })

  it('that is delivered twice at once runs once, and both deliveries wait for its outcome', async () => {
    const question = text()
    const job = await buildJob(store, question)
    const { handle, outcomes } = worker()
    await Promise.all([handle(job), handle(job)])
    expect(outcomes()).toHaveLength(1)
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })

  it('whose outcome cannot be published is called once and published when that works again', async () => {
    const question = text()
    const { handle, outcomes } = worker({ publishFailures: 3 })
    await handle(await buildJob(store, question))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })

  it('whose result cannot be stored is called once and stored when that works again', async () => {
    const question = 'abcdefghj '.repeat(40_000)
    let failures = 2
    const flaky: ObjectStore = {
      ...store,
      async put(key, bytes, options) {
        failures -= 1
        if (failures >= 0) throw new Error('the store is away')
        await store.put(key, bytes, options)
      },
    }
    const { handle, outcomes } = worker({ store: flaky })
    await handle(await buildJob(store, question, { body: { max_tokens: 65_536 } }))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })
})

describe('a job that another worker has', () => {
  it('is left to it while its lease lives, and the lease lives as long as the call', async () => {
    const question = text()
    const job = await buildJob(store, question)
    await upstream.fault({ kind: 'latency', ms: 2_500 })
    const first = worker({ leaseMs: 1_000 })
    const running = first.handle(job)
    await expect.poll(async () => (await upstream.callsWith(question)).length).toBe(1)
    const states = new Set<string>()
    let isDone = false
    const ended = running.finally(() => {
      isDone = true
    })
    const sample = async () => {
      if (!isDone && first.published.length === 0) states.add((await claims.start(job.jobId, 'somebody else', 1_000)).status)
      return isDone
    }
    await expect.poll(sample, { interval: 20, timeout: 20_000 }).toBe(true)
    await ended
    states.delete('finished')
    expect([...states]).toEqual(['running_elsewhere'])
    expect(first.outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })

  it('is given back to be tried again', async () => {
    const question = text()
    const job = await buildJob(store, question)
    await claims.start(job.jobId, 'somebody else', 60_000)
    const { handle, published } = worker()
    await expect(handle(job)).rejects.toThrow('another worker holds this job')
    expect(published).toEqual([])
    expect(await upstream.callsWith(question)).toEqual([])
  })
})

/** As if this many workers had died while they had the job. */
async function diedBefore(job: JobEvent, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    expect(await claims.start(job.jobId, `worker-${n}`, 1)).toMatchObject({ status: 'started' })
    await expect.poll(async () => Number(await redis.hget(`x:{${job.jobId}}`, 'l')) < Date.now()).toBe(true)
  }
}

describe('what cannot be started', () => {
  it.each<[string, number, (job: JobEvent) => JobEvent, Partial<CompleteDeps>, object]>([
    ['after the deadline', 0, (job) => ({ ...job, deadline: 1 }), {}, { kind: 'failed', code: 'deadline_passed' }],
    ['after the deadline and an earlier start', 1, (job) => ({ ...job, deadline: 1 }), {}, { kind: 'ambiguous' }],
    [
      'with a request of another job',
      0,
      (job) => ({ ...job, request: { inline: 'AAAA' } }),
      {},
      { kind: 'failed', code: 'job_unreadable' },
    ],
    ['unreadable after an earlier start', 1, (job) => ({ ...job, request: { inline: 'AAAA' } }), {}, { kind: 'ambiguous' }],
    [
      'whose request is gone from the store',
      0,
      (job) => ({ ...job, request: { ref: 'requests/none', sha256: '0'.repeat(64), bytes: 9 } }),
      {},
      { kind: 'failed', code: 'job_unreadable' },
    ],
    ['without a route', 0, (job) => job, { routes: new Map() }, { kind: 'failed', code: 'provider_unavailable' }],
    ['for the third time', 2, (job) => job, {}, { kind: 'ambiguous', code: 'provider_outcome_unknown' }],
  ])('%s ends without a call', async (_title, died, change, deps, expected) => {
    const question = text()
    const job = change(await buildJob(store, question))
    await diedBefore(job, died)
    const { handle, outcomes } = worker(deps)
    await handle(job)
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.callsWith(question)).toEqual([])
    await handle(job)
    expect(outcomes()).toHaveLength(1)
  })

  it('is executed once more after one death', async () => {
    const question = text()
    const job = await buildJob(store, question)
    await diedBefore(job, 1)
    const { handle, outcomes } = worker()
    await handle(job)
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })

  it('waits for the store to come back, until the deadline and no longer', async () => {
    const question = 'abcdefghk '.repeat(40_000)
    const job = await buildJob(store, question, { deadline: Date.now() + 1_000 })
    let reads = 0
    const away: ObjectStore = {
      ...store,
      async get() {
        reads += 1
        throw new Error('the store is away')
      },
    }
    const { handle, outcomes } = worker({ store: away })
    await handle(job)
    expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'deadline_passed' }])
    expect(reads).toBeGreaterThan(1)
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
    await handle(await buildJob(store, question))
    expect(outcomes()).toMatchObject([expected])
    expect(await upstream.callsWith(question)).toHaveLength(calls)
  })

  it('does not answer before the deadline makes it ambiguous', async () => {
    const question = text()
    await upstream.fault({ kind: 'hang' })
    const { handle, outcomes } = worker()
    await handle(await buildJob(store, question, { deadline: Date.now() + 700 }))
    expect(outcomes()).toMatchObject([{ kind: 'ambiguous', code: 'provider_outcome_unknown' }])
    expect(await upstream.callsWith(question)).toHaveLength(1)
  })
})

describe('a message that is not a job', () => {
  it('is poison', async () => {
    const handler = completeTextJobs(worker().deps)
    const context = { signal: new AbortController().signal, attempt: 1 }
    await expect(handler(messageOf(Buffer.from('{')), context)).rejects.toBeInstanceOf(PoisonMessage)
    await expect(handler(messageOf(Buffer.from('{"type":"job"}')), context)).rejects.toBeInstanceOf(PoisonMessage)
  })

  it('still frees its key when it says which one that is', async () => {
    const { deps, outcomes } = worker()
    const job = await buildJob(store, text())
    const damaged = Buffer.from(JSON.stringify({ ...job, version: 99 }))
    await reportDeadLetter(deps)(messageOf(damaged), 'schema_invalid')
    await reportDeadLetter(deps)(messageOf(Buffer.from('not JSON')), 'schema_invalid')
    expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'job_unreadable', jobId: job.jobId, keyHash: job.keyHash }])
  })
})
