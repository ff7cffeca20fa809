import { randomUUID } from 'node:crypto'
import { EVENT_SCHEMAS, type JobEvent } from '@turnpike/contracts'
import { PoisonMessage } from '@turnpike/kafka'
import type { ObjectStore } from '@turnpike/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CompleteDeps, completeJobs, reportDeadLetter } from './complete-jobs.ts'
import { type JobEnd, notCalled } from './job-end.ts'
import type { ExecuteJob } from './start-job.ts'
import { bodyOf, buildJob, messageOf, startTestParts, type TestParts, type TestWorker, testWorker } from './testing/index.ts'

let parts: TestParts
let store: TestParts['store']
let claims: TestParts['claims']

beforeAll(async () => {
  parts = await startTestParts()
  ;({ store, claims } = parts)
})
afterAll(() => parts.close())

const LONG = 'abcdefghi '.repeat(40_000)
/** An executor that answers with what it was asked, and every request that it got. */
function worker(
  changes: Partial<CompleteDeps> & { publishFailures?: number } = {},
): TestWorker & { requests: Record<string, unknown>[] } {
  const requests: Record<string, unknown>[] = []
  const execute: ExecuteJob = async (_job, request) => {
    requests.push(request as Record<string, unknown>)
    return answer({ echo: request })
  }
  return { ...testWorker(parts, { execute, ...changes }), requests }
}
const answer = (body: object): JobEnd => ({
  kind: 'succeeded',
  body: Buffer.from(JSON.stringify(body)),
  contentType: 'application/json',
  usage: { input_tokens: 3 },
})
const admit = (prompt: string = randomUUID(), changes: Partial<JobEvent> = {}) =>
  buildJob(store, { endpoint: '/v1/images/generations', request: { model: 'gm-1', prompt } as { model: string } }, changes)

describe('a job', () => {
  it('becomes one execution of its request and one sealed response under its key', async () => {
    const prompt = randomUUID()
    const job = await admit(prompt)
    const { handle, outcomes, published, requests } = worker()
    await handle(job)
    expect(requests).toEqual([{ model: 'gm-1', prompt }])
    expect(published).toMatchObject([
      {
        topic: 'outcomes',
        key: job.jobId,
        headers: { 'schema-version': '2', traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
      },
    ])
    expect(outcomes()).toMatchObject([{ kind: 'succeeded', jobId: job.jobId, keyHash: job.keyHash, usage: { input_tokens: 3 } }])
    expect(await bodyOf(store, outcomes()[0])).toEqual({ echo: { model: 'gm-1', prompt } })
    expect(published[0]?.value.includes(prompt)).toBe(false)
  })

  it('tells the outcome as the release before does while one may run, with its start when none does', async () => {
    for (const eventSchema of EVENT_SCHEMAS) {
      const job = await admit()
      const { handle, outcomes, published } = worker({ eventSchema })
      await handle(job)
      const [event] = published.map(({ value }) => JSON.parse(value.toString('utf8')) as { version: number; startedAt?: number })
      const version = { previous: 1, current: 2 }[eventSchema]
      expect(event?.version).toBe(version)
      expect(published[0]?.headers['schema-version']).toBe(String(version))
      expect(typeof event?.startedAt).toBe(eventSchema === 'current' ? 'number' : 'undefined')
      expect(outcomes()).toMatchObject([{ kind: 'succeeded', startedAt: event?.startedAt ?? null }])
    }
  })

  it('whose request and result do not fit into an event takes both through the store', async () => {
    const job = await admit(LONG)
    expect(job.request).toHaveProperty('ref')
    const { handle, outcomes } = worker()
    await handle(job)
    const [outcome] = outcomes()
    expect(outcome).toMatchObject({ result: { body: { ref: expect.stringMatching(new RegExp(`^results/${job.jobId}-`)) } } })
    expect(JSON.stringify(await bodyOf(store, outcome)).length).toBeGreaterThan(256 * 1024)
  })

  it('leaves no stored request behind once its outcome is out, and keeps it until then', async () => {
    const job = await admit(LONG)
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
    const { handle, outcomes } = worker({ store: { ...store, delete: () => Promise.reject(new Error('away')) } })
    await handle(await admit(LONG))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })

  it('that is done is not done again', async () => {
    const job = await admit()
    const first = worker()
    await first.handle(job)
    await first.handle(job)
    const second = worker()
    await second.handle(job)
    expect(first.outcomes()).toHaveLength(1)
    expect([...first.requests, ...second.requests]).toHaveLength(1)
  })

  it('that is delivered twice at once runs once, and both deliveries wait for its outcome', async () => {
    const job = await admit()
    const { handle, outcomes, requests } = worker()
    await Promise.all([handle(job), handle(job)])
    expect(outcomes()).toHaveLength(1)
    expect(requests).toHaveLength(1)
  })

  it('whose outcome cannot be published is executed once and published when that works again', async () => {
    const { handle, outcomes, requests } = worker({ publishFailures: 3 })
    await handle(await admit())
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(requests).toHaveLength(1)
  })

  it('whose result cannot be stored is executed once and stored when that works again', async () => {
    let failures = 2
    const flaky: ObjectStore = {
      ...store,
      async put(key, bytes, options) {
        failures -= 1
        if (failures >= 0) throw new Error('the store is away')
        await store.put(key, bytes, options)
      },
    }
    const { handle, outcomes, requests } = worker({ store: flaky })
    await handle(await admit(LONG))
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(requests).toHaveLength(1)
  })
})

describe('what else was stored for a job', () => {
  const ends = (end: JobEnd) => {
    const discarded: string[] = []
    const discard = async (job: JobEvent) => void discarded.push(job.jobId)
    return { discarded, ...worker({ discard, execute: async () => end }) }
  }

  it.each<[string, JobEnd]>([
    ['succeeded', answer({})],
    ['failed', { kind: 'failed', code: 'provider_unavailable' }],
    ['refused', { kind: 'refused', code: 'content_blocked' }],
  ])('is discarded after the outcome of one that %s, and again if the job is published again', async (_what, end) => {
    const { handle, discarded, outcomes } = ends(end)
    const job = await admit()
    await handle(job)
    expect([outcomes().length, discarded]).toEqual([1, [job.jobId]])
    await handle(job)
    expect([outcomes().length, discarded]).toEqual([1, [job.jobId, job.jobId]])
  })

  it('stays where nobody knows how it ended', async () => {
    const { handle, discarded } = ends({ kind: 'ambiguous', code: 'provider_outcome_unknown' })
    await handle(await admit())
    expect(discarded).toEqual([])
  })

  it('does not keep a job from being done when it cannot be discarded', async () => {
    const { handle, outcomes } = worker({ discard: () => Promise.reject(new Error('away')) })
    await handle(await admit())
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })
})

describe('a job that another worker has', () => {
  it('is left to it while its lease lives, and the lease lives as long as the execution', async () => {
    const job = await admit()
    const { promise: release, resolve } = Promise.withResolvers<void>()
    const began = Date.now()
    const first = worker({
      leaseMs: 4_000,
      execute: async () => {
        await release
        return answer({})
      },
    })
    const running = first.handle(job)
    await expect.poll(() => parts.redis.exists(`x:{${job.jobId}}`)).toBe(1)
    const states = new Set<string>()
    const sample = async () => {
      states.add((await claims.start(job.jobId, 'somebody else', 1_000)).status)
      return Date.now() - began
    }
    await expect.poll(sample, { interval: 20 }).toBeGreaterThan(5_000)
    resolve()
    await running
    expect([...states]).toEqual(['running_elsewhere'])
    expect(first.outcomes()).toMatchObject([{ kind: 'succeeded' }])
  })

  it('is given back to be tried again', async () => {
    const job = await admit()
    await claims.start(job.jobId, 'somebody else', 60_000)
    const { handle, published, requests } = worker()
    await expect(handle(job)).rejects.toThrow('another worker holds this job')
    expect([...published, ...requests]).toEqual([])
  })
})

/** As if this many workers had died while they had the job. */
async function diedBefore(job: JobEvent, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    expect(await claims.start(job.jobId, `worker-${n}`, 1)).toMatchObject({ status: 'started' })
    await expect.poll(async () => Number(await parts.redis.hget(`x:{${job.jobId}}`, 'l')) < Date.now()).toBe(true)
  }
}

describe('what cannot be started', () => {
  const unread = (job: JobEvent): JobEvent => ({ ...job, request: { inline: 'AAAA' } })
  const gone = (job: JobEvent): JobEvent => ({ ...job, request: { ref: 'requests/none', sha256: '0'.repeat(64), bytes: 9 } })
  const late = (job: JobEvent): JobEvent => ({ ...job, deadline: 1 })
  it.each<[string, number, (job: JobEvent) => JobEvent, object]>([
    ['after the deadline', 0, late, { kind: 'failed', code: 'deadline_passed' }],
    ['after the deadline and an earlier start', 1, late, { kind: 'ambiguous' }],
    ['with a request of another job', 0, unread, { kind: 'failed', code: 'job_unreadable' }],
    ['unreadable after an earlier start', 1, unread, { kind: 'ambiguous' }],
    ['whose request is gone from the store', 0, gone, { kind: 'failed', code: 'job_unreadable' }],
    ['for the third time', 2, (job) => job, { kind: 'ambiguous', code: 'provider_outcome_unknown' }],
  ])('%s ends without an execution', async (_title, died, change, expected) => {
    const job = change(await admit())
    await diedBefore(job, died)
    const { handle, outcomes, requests } = worker()
    await handle(job)
    expect(outcomes()).toMatchObject([expected])
    expect(requests).toEqual([])
    await handle(job)
    expect(outcomes()).toHaveLength(1)
  })

  it.each<[number, object]>([
    [0, { kind: 'failed', code: 'provider_unavailable' }],
    [1, { kind: 'ambiguous', code: 'provider_outcome_unknown' }],
  ])('by its executor, after %i earlier starts, is known to be so only the first time', async (died, expected) => {
    const job = await admit()
    await diedBefore(job, died)
    const { handle, outcomes } = worker({ execute: async () => notCalled('provider_unavailable') })
    await handle(job)
    expect(outcomes()).toMatchObject([expected])
  })

  it('is executed once more after one death', async () => {
    const job = await admit()
    await diedBefore(job, 1)
    const { handle, outcomes, requests } = worker()
    await handle(job)
    expect(outcomes()).toMatchObject([{ kind: 'succeeded' }])
    expect(requests).toHaveLength(1)
  })

  it('waits for the store to come back, until the deadline and no longer', async () => {
    const admitted = await admit(LONG)
    let reads = 0
    const away: ObjectStore = {
      ...store,
      async get() {
        reads += 1
        throw new Error('the store is away')
      },
    }
    const { handle, outcomes } = worker({ store: away })
    await handle({ ...admitted, deadline: Date.now() + 2_000 })
    expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'deadline_passed' }])
    expect(reads).toBeGreaterThan(1)
  })
})

describe('a message that is not a job', () => {
  it('is poison', async () => {
    const handler = completeJobs(worker().deps)
    const context = { signal: new AbortController().signal, attempt: 1 }
    await expect(handler(messageOf(Buffer.from('{')), context)).rejects.toBeInstanceOf(PoisonMessage)
    await expect(handler(messageOf(Buffer.from('{"type":"job"}')), context)).rejects.toBeInstanceOf(PoisonMessage)
  })

  it('still frees its key when it says which one that is', async () => {
    const { deps, outcomes } = worker()
    const job = await admit()
    const damaged = Buffer.from(JSON.stringify({ ...job, version: 99 }))
    await reportDeadLetter(deps)(messageOf(damaged), 'schema_invalid')
    await reportDeadLetter(deps)(messageOf(Buffer.from('not JSON')), 'schema_invalid')
    expect(outcomes()).toMatchObject([{ kind: 'failed', code: 'job_unreadable', jobId: job.jobId, keyHash: job.keyHash }])
  })
})
