import { expect, it } from 'vitest'
import { callTargets, type TargetCall, type TargetDeps } from './call-targets.ts'
import type { CallLimits, ProviderFailure, ProviderOutcome } from './provider-outcome.ts'

type Outcome = ProviderOutcome<string>
const succeeded: Outcome = { kind: 'succeeded', value: 'Hi' }
const unavailable: ProviderFailure = {
  kind: 'failed',
  code: 'provider_unavailable',
  reason: 'connect_failed',
  transient: false,
  executed: false,
}
const failedBecause = (reason: ProviderFailure['reason']): Outcome => ({ ...unavailable, reason })
const unusable: Outcome = { ...unavailable, code: 'provider_unusable_answer', reason: 'no_content', executed: true }
const refused: Outcome = { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }
const ambiguous: Outcome = { kind: 'ambiguous', code: 'provider_outcome_unknown', reason: 'connection_lost' }
const open = (retryAfterMs: number): ProviderFailure => ({ ...unavailable, reason: 'circuit_open', retryAfterMs })

const FAR = { signal: new AbortController().signal, deadlineMs: Number.MAX_SAFE_INTEGER }

/** Targets that answer so; a circuit that is open is given as its refusal. */
async function call(outcomes: Outcome[], circuits: (ProviderFailure | undefined)[] = [], limits: CallLimits = FAR) {
  const asked: number[] = []
  const left: (string | undefined)[] = []
  const seen: [number, string][] = []
  const given: CallLimits[] = []
  const deps: TargetDeps = {
    breakerOf: ({ model, index, of }) => {
      expect([model, of]).toEqual(['gm-2.5-flash', outcomes.length])
      return { enter: async () => circuits[index] ?? { leave: (outcome) => left.push(outcome?.kind) } }
    },
    onCall: ({ index }, outcome) => seen.push([index, outcome.kind]),
  }
  const targets = outcomes.map(
    (outcome, index): TargetCall<string> =>
      async (own) => {
        asked.push(index)
        given.push(own)
        return outcome
      },
  )
  const outcome = await callTargets(deps, 'gm-2.5-flash', targets, limits)
  expect(left).toEqual(seen.map(([, kind]) => kind))
  expect(seen.map(([index]) => index)).toEqual(asked)
  return { outcome, asked, given }
}

it.each([
  ['no connection', 'connect_failed'],
  ['overload', 'overloaded'],
  ['a rate limit', 'rate_limited'],
  ['a fault by its own word', 'upstream_fault'],
  ['refused credentials', 'credentials_refused'],
  ['an unknown target', 'target_missing'],
] as const)('asks the next target after %s', async (_title, reason) => {
  expect(await call([failedBecause(reason), succeeded, unavailable])).toMatchObject({ outcome: succeeded, asked: [0, 1] })
})

it.each([
  ['a refusal', refused],
  ['an ambiguous outcome', ambiguous],
  ['an executed, unusable answer', unusable],
])('asks nobody else after %s', async (_title, outcome) => {
  expect(await call([outcome, succeeded])).toMatchObject({ outcome, asked: [0] })
})

it('ends with the last failure when nobody is available', async () => {
  expect(await call([unavailable, failedBecause('overloaded')])).toMatchObject({
    outcome: { reason: 'overloaded' },
    asked: [0, 1],
  })
})

it('starts nothing when the deadline has passed or there is no target', async () => {
  expect(await call([succeeded], [], { ...FAR, signal: AbortSignal.abort() })).toMatchObject({
    outcome: { kind: 'failed', reason: 'not_sent_in_time' },
    asked: [],
  })
  expect(await call([])).toMatchObject({ outcome: { kind: 'failed', code: 'provider_unavailable' }, asked: [] })
})

it('passes over a target whose circuit is open', async () => {
  expect(await call([unavailable, succeeded], [open(5_000)])).toMatchObject({ outcome: succeeded, asked: [1] })
})

it('says when the first circuit may open again where all are open', async () => {
  const end = await call([succeeded, succeeded, succeeded], [open(9_000), open(2_000), open(4_000)])
  expect(end).toMatchObject({ outcome: open(2_000), asked: [] })
})

it('keeps the word of the target that was called over that of one that was passed over', async () => {
  expect(await call([failedBecause('overloaded'), succeeded], [undefined, open(1_000)])).toMatchObject({
    outcome: { reason: 'overloaded' },
    asked: [0],
  })
})

it('lets only the last target wait long for itself', async () => {
  const { given } = await call([unavailable, unavailable])
  expect(given.map(({ maxRetryDelayMs }) => maxRetryDelayMs)).toEqual([500, undefined])
})

it('gives a turn back when the call breaks', async () => {
  const left: unknown[] = []
  const deps: TargetDeps = {
    breakerOf: () => ({ enter: async () => ({ leave: (outcome) => left.push(outcome) }) }),
    onCall: () => {},
  }
  const broken = callTargets(deps, 'gm-2.5-flash', [() => Promise.reject(new TypeError('a defect'))], FAR)
  await expect(broken).rejects.toThrow('a defect')
  expect(left).toEqual([undefined])
})
