import { describe, expect, it } from 'vitest'
import { type BreakerChange, type CircuitBreaker, circuitBreaker, type SharedHealth, type TargetTurn } from './circuit-breaker.ts'
import type { FailureReason, ProviderFailure, ProviderOutcome } from './provider-outcome.ts'

const TARGET = { model: 'gm-2.5-flash', index: 0, of: 1 }
const POLICY = { failures: 3, leastOpenMs: 1_000, mostOpenMs: 8_000, probeLeaseMs: 60_000 }
const answer: ProviderOutcome<string> = { kind: 'succeeded', value: 'Hi' }
const failure = (reason: FailureReason, more: Partial<ProviderFailure> = {}): ProviderOutcome<string> => ({
  kind: 'failed',
  code: reason === 'overloaded' ? 'provider_overloaded' : 'provider_unavailable',
  reason,
  transient: false,
  executed: false,
  ...more,
})
const ambiguous: ProviderOutcome<string> = { kind: 'ambiguous', code: 'provider_outcome_unknown', reason: 'deadline' }

const away = () => Promise.reject(new Error('Redis is away'))
const NOBODY: SharedHealth = { open: away, startProbe: away, renewProbe: away, endProbe: away, answered: away }

function rig(shared: Partial<SharedHealth> = {}) {
  let nowMs = 0
  const changes: BreakerChange[] = []
  const breaker = circuitBreaker(
    {
      policy: POLICY,
      shared: { ...NOBODY, ...shared },
      now: () => nowMs,
      newProbe: () => `probe-${nowMs}`,
      onChange: (_target, change) => changes.push(change),
    },
    TARGET,
  )
  return {
    breaker,
    changes,
    pass: (ms: number) => {
      nowMs += ms
    },
    async fail(times: number, outcome = failure('connect_failed')) {
      for (let n = 0; n < times; n++) await call(breaker, outcome)
    },
  }
}

async function turnOf(breaker: CircuitBreaker): Promise<TargetTurn> {
  const turn = await breaker.enter()
  if ('kind' in turn) throw new Error(`refused for ${turn.retryAfterMs} ms`)
  return turn
}
async function call(breaker: CircuitBreaker, outcome: ProviderOutcome<string> | undefined): Promise<void> {
  const turn = await turnOf(breaker)
  turn.leave(outcome)
}
const REFUSED = { kind: 'failed', reason: 'circuit_open', executed: false, transient: false }

describe('a circuit by itself', () => {
  it.each<[string, ProviderOutcome<string>]>([
    ['no connection', failure('connect_failed')],
    ['overload', failure('overloaded')],
    ['faults of the upstream', failure('upstream_fault')],
    ['refused credentials', failure('credentials_refused')],
    ['timeouts', ambiguous],
  ])('opens after so many in a row: %s', async (_title, outcome) => {
    const { breaker, fail, changes } = rig()
    await fail(POLICY.failures - 1, outcome)
    expect(changes).toEqual([])
    await fail(1, outcome)
    expect(changes).toMatchObject([{ change: 'opened', forMs: 1_000 }])
    const code = outcome === ambiguous ? 'provider_unavailable' : (outcome as ProviderFailure).code
    expect(await breaker.enter()).toMatchObject({ ...REFUSED, code, retryAfterMs: 1_000 })
  })

  it.each<[string, ProviderOutcome<string>]>([
    ['an answer', answer],
    ['a refusal of the request', { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }],
    ['an answer of no use', failure('no_content', { executed: true })],
  ])('starts to count anew after %s', async (_title, outcome) => {
    const { breaker, fail, changes } = rig()
    await fail(POLICY.failures - 1)
    await call(breaker, outcome)
    await fail(POLICY.failures - 1)
    expect(changes).toEqual([])
  })

  it('learns nothing from a call that never got to the target', async () => {
    const { fail, changes } = rig()
    await fail(POLICY.failures - 1)
    await fail(20, failure('not_sent_in_time'))
    expect(changes).toEqual([])
    await fail(1)
    expect(changes).toHaveLength(1)
  })

  it('lets one call at a time find out after its time, and closes on its answer', async () => {
    const { breaker, fail, pass, changes } = rig()
    await fail(POLICY.failures)
    pass(1_000)
    const probe = await turnOf(breaker)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    probe.leave(answer)
    expect(changes.at(-1)).toEqual({ change: 'closed' })
    const turns = await Promise.all([turnOf(breaker), turnOf(breaker)])
    expect(turns).toHaveLength(2)
  })

  it('stays open twice as long after each probe that fails, up to a limit', async () => {
    const { breaker, fail, pass, changes } = rig()
    await fail(POLICY.failures)
    for (const forMs of [1_000, 2_000, 4_000, 8_000, 8_000]) {
      expect(changes.at(-1)).toMatchObject({ change: 'opened', forMs })
      pass(forMs - 1)
      expect(await breaker.enter()).toMatchObject({ ...REFUSED, retryAfterMs: 1 })
      pass(1)
      await fail(1)
    }
  })

  it('lets the next call find out when a probe ends without having asked', async () => {
    const { breaker, fail, pass } = rig()
    await fail(POLICY.failures)
    pass(1_000)
    await call(breaker, failure('not_sent_in_time'))
    await call(breaker, undefined)
    await call(breaker, answer)
    await call(breaker, answer)
  })

  it('waits as long as the upstream asked for, within its limit', async () => {
    const asked = rig()
    await asked.fail(POLICY.failures, failure('rate_limited', { retryAfterMs: 5_000 }))
    expect(asked.changes).toMatchObject([{ forMs: 5_000 }])
    const tooMuch = rig()
    await tooMuch.fail(POLICY.failures, failure('rate_limited', { retryAfterMs: 3_600_000 }))
    expect(tooMuch.changes).toMatchObject([{ forMs: POLICY.mostOpenMs }])
  })

  it('is closed by a late answer, and not opened again by late failures', async () => {
    const { breaker, pass, changes, fail } = rig()
    const early = await Promise.all(Array.from({ length: 6 }, () => turnOf(breaker)))
    for (const turn of early.slice(0, 5)) turn.leave(ambiguous)
    expect(changes).toHaveLength(1)
    pass(500)
    early[5]?.leave(answer)
    expect(changes).toMatchObject([{ change: 'opened' }, { change: 'closed' }])
    await fail(POLICY.failures - 1)
    expect(changes).toHaveLength(2)
  })
})

describe('a circuit among those of other processes', () => {
  const opened: Partial<SharedHealth> = { open: async () => ({ status: 'open', forMs: 1_000 }) }

  it('tells how long it has been failing, and leaves it to them who probes', async () => {
    const reports: unknown[] = []
    const asked: string[] = []
    const { breaker, fail, pass } = rig({
      open: async (_target, report) => {
        reports.push(report)
        return { status: 'open', forMs: 1_000 }
      },
      startProbe: async (_target, probe) => {
        asked.push(probe)
        return asked.length === 1 ? { status: 'wait', forMs: 3_000 } : { status: 'started' }
      },
    })
    await fail(2)
    pass(300)
    await fail(1)
    expect(reports).toEqual([{ code: 'provider_unavailable', leastMs: 1_000, mostMs: 8_000, failingForMs: 300 }])
    pass(60_000)
    expect(await breaker.enter()).toMatchObject({ ...REFUSED, retryAfterMs: 3_000 })
    await call(breaker, answer)
    expect(asked).toEqual(['probe-60300', 'probe-60300'])
  })

  it('believes that another has had an answer, until its next failure', async () => {
    const { breaker, fail, changes } = rig({ ...opened, startProbe: async () => ({ status: 'closed' }) })
    await fail(POLICY.failures)
    const first = await turnOf(breaker)
    const second = await turnOf(breaker)
    expect(changes.at(-1)).toEqual({ change: 'closed' })
    first.leave(failure('connect_failed'))
    expect(changes.at(-1)).toMatchObject({ change: 'opened' })
    second.leave(answer)
    expect(changes.at(-1)).toEqual({ change: 'closed' })
  })

  it('keeps its own time while the target answers the others, and asks them again once a second', async () => {
    const failingForMs: number[] = []
    const { breaker, fail, pass } = rig({
      open: async (_target, report) => {
        failingForMs.push(report.failingForMs)
        return { status: 'answers_others' }
      },
    })
    await fail(POLICY.failures, failure('rate_limited', { retryAfterMs: 2_000 }))
    pass(999)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    expect(failingForMs).toEqual([0])
    pass(1)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    expect(failingForMs).toEqual([0, 1_000])
    pass(1_000)
    await call(breaker, answer)
  })

  it('keeps its own time when they cannot be asked any more', async () => {
    const { breaker, fail, pass } = rig(opened)
    await fail(POLICY.failures)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    pass(1_000)
    const probe = await turnOf(breaker)
    expect(await breaker.enter()).toMatchObject(REFUSED)
    probe.leave(answer)
    await call(breaker, answer)
  })

  it('gives a probe back that found nothing out, and only such a one', async () => {
    const ended: string[] = []
    const told: string[] = []
    const { breaker, fail } = rig({
      ...opened,
      startProbe: async () => ({ status: 'started' }),
      endProbe: async (_target, probe) => void ended.push(probe),
      answered: async () => void told.push('answered'),
    })
    await fail(POLICY.failures)
    await call(breaker, failure('not_sent_in_time'))
    expect(ended).toHaveLength(1)
    await call(breaker, answer)
    expect(ended).toHaveLength(1)
    expect(told).toEqual(['answered'])
  })

  it('says that a target answers once a second, not with every answer', async () => {
    let told = 0
    const { breaker, pass } = rig({ answered: async () => void told++ })
    for (let n = 0; n < 10; n++) await call(breaker, answer)
    expect(told).toBe(1)
    pass(1_000)
    await call(breaker, answer)
    expect(told).toBe(2)
  })
})
