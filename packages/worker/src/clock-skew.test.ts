import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildJob, startTestParts, type TestParts, testWorker } from './testing/index.ts'

// Any two clocks are within 5 s of each other (docs/decisions): here the worker's is off from the gateway's, who wrote the deadline.
const SKEW_MS = 5_000
let parts: TestParts

beforeAll(async () => {
  parts = await startTestParts()
})
afterAll(() => parts.close())

async function work({ aheadMs, leftMs }: { aheadMs: number; leftMs: number }) {
  const job = await buildJob(
    parts.store,
    { endpoint: '/v1/chat/completions', request: { model: 'gm-2.5-pro' } },
    { deadline: Date.now() + leftMs },
  )
  let calls = 0
  const worker = testWorker(parts, {
    now: () => Date.now() + aheadMs,
    execute: async () => {
      calls += 1
      return { kind: 'succeeded', body: Buffer.from('{}'), contentType: 'application/json', usage: {} }
    },
  })
  await worker.handle(job)
  return { calls, kinds: worker.outcomes().map(({ kind }) => kind) }
}

it.each([-SKEW_MS, SKEW_MS])('a worker whose clock is off by %i ms does a fresh job', async (aheadMs) => {
  expect(await work({ aheadMs, leftMs: 60_000 })).toEqual({ calls: 1, kinds: ['succeeded'] })
})

it('one that is late by its clock may still begin within that, when the ledger still waits: its grace is longer', async () => {
  expect(await work({ aheadMs: -SKEW_MS, leftMs: -SKEW_MS + 1_000 })).toEqual({ calls: 1, kinds: ['succeeded'] })
})

it('one that is early by its clock leaves the last seconds alone, for free', async () => {
  expect(await work({ aheadMs: SKEW_MS, leftMs: SKEW_MS - 1 })).toEqual({ calls: 0, kinds: ['failed'] })
})
