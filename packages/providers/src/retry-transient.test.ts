import { expect, it } from 'vitest'
import type { ProviderOutcome } from './provider-outcome.ts'
import { retryDelayMs, retryTransient } from './retry-transient.ts'

const POLICY = { retries: 2, baseDelayMs: 4, maxDelayMs: 1_000, minCallMs: 100 }
const NOW = 1_000_000

const limited = (retryAfterMs?: number): ProviderOutcome<string> => ({
  kind: 'failed',
  code: 'provider_overloaded',
  reason: 'rate_limited',
  transient: true,
  executed: false,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const done: ProviderOutcome<string> = { kind: 'succeeded', value: 'done' }

async function run(
  answers: ProviderOutcome<string>[],
  deadlineMs = NOW + 10_000,
  signal = new AbortController().signal,
  more: { maxRetryDelayMs?: number } = {},
) {
  let calls = 0
  const outcome = await retryTransient(
    { policy: POLICY, now: () => NOW, random: () => 0.5 },
    { signal, deadlineMs, ...more },
    async () => {
      calls += 1
      const answer = answers[Math.min(calls, answers.length) - 1]
      if (answer === undefined) throw new Error('no answer was prepared')
      return answer
    },
  )
  return { kind: outcome.kind, calls }
}

it('repeats what was refused for the moment until it is answered', async () => {
  expect(await run([limited(), limited(1), done])).toEqual({ kind: 'succeeded', calls: 3 })
})

it('gives up after its retries', async () => {
  expect(await run([limited()])).toEqual({ kind: 'failed', calls: 3 })
})

it.each<[string, ProviderOutcome<string>]>([
  ['an answer', done],
  ['a refusal', { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }],
  ['an ambiguous outcome', { kind: 'ambiguous', code: 'provider_outcome_unknown', reason: 'connection_lost' }],
  [
    'a lasting failure',
    { kind: 'failed', code: 'provider_unavailable', reason: 'target_missing', transient: false, executed: false },
  ],
])('never repeats %s', async (_title, outcome) => {
  expect(await run([outcome])).toEqual({ kind: outcome.kind, calls: 1 })
})

it('does not wait longer than it may, nor into the deadline', async () => {
  expect(await run([limited(26_000), done])).toEqual({ kind: 'failed', calls: 1 })
  expect(await run([limited(500), done], NOW + 550)).toEqual({ kind: 'failed', calls: 1 })
})

it('waits no longer than its caller finds worth it', async () => {
  const within = new AbortController().signal
  expect(await run([limited(300), done], undefined, within, { maxRetryDelayMs: 200 })).toEqual({ kind: 'failed', calls: 1 })
  expect(await run([limited(100), done], undefined, within, { maxRetryDelayMs: 200 })).toEqual({ kind: 'succeeded', calls: 2 })
})

it('stops waiting when the deadline passes', async () => {
  const controller = new AbortController()
  const running = run([limited(900), done], NOW + 10_000, controller.signal)
  controller.abort()
  expect(await running).toEqual({ kind: 'failed', calls: 1 })
})

it('jitters and doubles its own delay and never waits less than it was told', () => {
  const at = (random: number, attempt: number, told?: number) =>
    retryDelayMs({ policy: { ...POLICY, baseDelayMs: 100 }, now: () => NOW, random: () => random }, attempt, told)
  expect([at(0, 0), at(0.99, 0), at(0, 1), at(0.99, 1)]).toEqual([50, 100, 100, 199])
  expect([at(0, 0, 300), at(0.99, 0, 300)]).toEqual([300, 399])
})
