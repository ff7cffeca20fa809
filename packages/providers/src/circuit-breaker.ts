import { availabilityAfter } from './availability.ts'
import type { ProviderFailure, ProviderOutcome } from './provider-outcome.ts'

/** One upstream target by its public name: never the upstream's own. `of` is how many targets the model has. */
export type TargetName = { model: string; index: number; of: number }

type Overloaded = Extract<ProviderFailure['code'], 'provider_unavailable' | 'provider_overloaded'>

/** What the worker processes tell each other of a target. Any of it may reject: then this process decides alone. */
export type SharedHealth = {
  /**
   * Nobody is to be sold this target for a while, longer each time in a row. `answers_others`: it answered another process lately, or
   * since this one's failures began, so that the fault is likely here, and nothing was told to anybody.
   */
  open(
    target: TargetName,
    report: { code: Overloaded; leastMs: number; mostMs: number; failingForMs: number },
  ): Promise<{ status: 'open'; forMs: number } | { status: 'answers_others' }>
  /** Asks to be the one call that finds out. `closed`: it answered somebody meanwhile, or nothing is known any more. */
  startProbe(
    target: TargetName,
    probe: string,
    leaseMs: number,
  ): Promise<{ status: 'started' } | { status: 'wait'; forMs: number } | { status: 'closed' }>
  renewProbe(target: TargetName, probe: string, leaseMs: number): Promise<void>
  /** It ended without a verdict: another may probe. */
  endProbe(target: TargetName, probe: string): Promise<void>
  /** It answered, so it is open to everybody. */
  answered(target: TargetName): Promise<void>
}

export type BreakerPolicy = {
  /** In a row, with no answer between them, from all jobs of this process. */
  failures: number
  /** The first open period; each further one in a row is twice as long, up to the longest. */
  leastOpenMs: number
  mostOpenMs: number
  /** A process that died while probing keeps the others from it for this long. */
  probeLeaseMs: number
}
export const BREAKER_POLICY: BreakerPolicy = { failures: 5, leastOpenMs: 5_000, mostOpenMs: 30_000, probeLeaseMs: 6_000 }

export type BreakerChange = { change: 'opened'; forMs: number; reason: string } | { change: 'closed' }

type BreakerDeps = {
  policy: BreakerPolicy
  shared: SharedHealth
  now: () => number
  /** A name for one probe, unlike any other. */
  newProbe: () => string
  onChange: (target: TargetName, change: BreakerChange) => void
}

/** A call that may be made. Its outcome is given back, or `undefined` when it ended without one. */
export type TargetTurn = { leave(outcome: ProviderOutcome<unknown> | undefined): void }

export type CircuitBreaker = {
  /** A turn, or the definite failure that stands for the call which is not made. Never rejects. */
  enter(): Promise<TargetTurn | ProviderFailure>
}

/** How seldom the others are told of a target that keeps answering, or keeps failing where it answers them. */
const TELL_EVERY_MS = 1_000
/** What is left unsaid when another call is finding out. */
const PROBE_RETRY_MS = 1_000

type Closed = { kind: 'closed'; failures: number; failingSinceMs: number }
type Open = {
  kind: 'open'
  code: Overloaded
  openings: number
  failingSinceMs: number
  leastMs: number
  untilMs: number
  /** The other processes were told; then theirs is the say, and the time above is only for when they cannot be asked. */
  isShared: boolean
  isProbing: boolean
}

/**
 * Stops calling a target that has failed several times in a row, and finds out with one call at a time whether it answers again. Every
 * process judges by its own calls; what is shared decides who probes, and tells the gateway what not to sell.
 */
export function circuitBreaker(deps: BreakerDeps, target: TargetName): CircuitBreaker {
  const { policy, shared, now } = deps
  let state: Closed | Open = { kind: 'closed', failures: 0, failingSinceMs: 0 }
  let toldMs = Number.NEGATIVE_INFINITY

  function open(outcome: ProviderOutcome<unknown>, openings: number, failingSinceMs: number): void {
    const retryAfterMs = outcome.kind === 'failed' ? (outcome.retryAfterMs ?? 0) : 0
    const leastMs = Math.min(policy.mostOpenMs, Math.max(policy.leastOpenMs, retryAfterMs))
    const forMs = Math.min(policy.mostOpenMs, leastMs * 2 ** Math.min(openings - 1, 16))
    const code = outcome.kind === 'failed' && outcome.code === 'provider_overloaded' ? outcome.code : 'provider_unavailable'
    const untilMs = now() + forMs
    const opened: Open = { kind: 'open', code, openings, failingSinceMs, leastMs, untilMs, isShared: false, isProbing: false }
    state = opened
    deps.onChange(target, { change: 'opened', forMs, reason: outcome.kind === 'succeeded' ? 'none' : outcome.reason })
    tellOpen(opened)
  }

  function tellOpen(opened: Open): void {
    toldMs = now()
    const { code, leastMs, failingSinceMs } = opened
    shared
      .open(target, { code, leastMs, mostMs: policy.mostOpenMs, failingForMs: now() - failingSinceMs })
      .then((told) => {
        if (told.status !== 'open') return
        opened.isShared = true
        opened.untilMs = now() + told.forMs
      })
      .catch(() => {}) // told to nobody: the time of this process holds
  }

  function answered(): void {
    const wasOpen = state.kind === 'open'
    state = { kind: 'closed', failures: 0, failingSinceMs: 0 }
    if (wasOpen) deps.onChange(target, { change: 'closed' })
    if (!wasOpen && now() - toldMs < TELL_EVERY_MS) return
    toldMs = now()
    shared.answered(target).catch(() => {}) // the next answer tells it
  }

  function failed(outcome: ProviderOutcome<unknown>, probed: Open | undefined): void {
    if (state.kind === 'open') {
      // A late failure of a call from before says nothing new.
      if (state === probed) open(outcome, state.openings + 1, state.failingSinceMs)
      return
    }
    const failingSinceMs = state.failures === 0 ? now() : state.failingSinceMs
    state = { kind: 'closed', failures: state.failures + 1, failingSinceMs }
    if (state.failures >= policy.failures) open(outcome, 1, failingSinceMs)
  }

  function turn(probed: Open | undefined, release: (foundOut: boolean) => void): TargetTurn {
    return {
      leave(outcome) {
        const availability = outcome === undefined ? 'unknown' : availabilityAfter(outcome)
        release(availability !== 'unknown')
        if (availability === 'answered') answered()
        else if (availability === 'failed' && outcome !== undefined) failed(outcome, probed)
      },
    }
  }

  /** By the clock of this process, one at a time. */
  function probeAlone(current: Open): TargetTurn | ProviderFailure {
    if (now() < current.untilMs) {
      if (now() - toldMs >= TELL_EVERY_MS) tellOpen(current)
      return refusal(current, current.untilMs - now())
    }
    if (current.isProbing) return refusal(current, PROBE_RETRY_MS)
    current.isProbing = true
    return turn(current, () => {
      current.isProbing = false
    })
  }

  async function probeShared(current: Open): Promise<TargetTurn | ProviderFailure> {
    const probe = deps.newProbe()
    const reply = await shared.startProbe(target, probe, policy.probeLeaseMs).catch(() => undefined)
    if (reply === undefined) return probeAlone(current)
    if (reply.status === 'wait') return refusal(current, Math.max(reply.forMs, PROBE_RETRY_MS))
    if (reply.status === 'started') return turn(current, holdProbe(probe))
    // Believed, but on parole: where the fault is here and not there, one more failure opens it again.
    if (state === current) {
      state = { kind: 'closed', failures: policy.failures - 1, failingSinceMs: now() }
      deps.onChange(target, { change: 'closed' })
    }
    return turn(undefined, () => {})
  }

  /** Calls take longer than the lease may: it is renewed as long as this process lives. */
  function holdProbe(probe: string): (foundOut: boolean) => void {
    const ignore = () => {} // the lease lapses, and another call probes
    const timer = setInterval(() => {
      shared.renewProbe(target, probe, policy.probeLeaseMs).catch(ignore)
    }, policy.probeLeaseMs / 3)
    return (foundOut) => {
      clearInterval(timer)
      // What it found out is told next, and ends the probe with it.
      if (!foundOut) shared.endProbe(target, probe).catch(ignore)
    }
  }

  return {
    async enter() {
      if (state.kind === 'closed') return turn(undefined, () => {})
      return state.isShared ? await probeShared(state) : probeAlone(state)
    },
  }
}

function refusal({ code }: Open, forMs: number): ProviderFailure {
  return { kind: 'failed', code, reason: 'circuit_open', transient: false, executed: false, retryAfterMs: Math.ceil(forMs) }
}

/** The breakers of a worker process, one for each target, made when it is first called. */
export function circuitBreakers(deps: BreakerDeps): (target: TargetName) => CircuitBreaker {
  const breakers = new Map<string, CircuitBreaker>()
  return (target) => {
    const name = `${target.model}#${target.index}`
    const breaker = breakers.get(name) ?? circuitBreaker(deps, target)
    breakers.set(name, breaker)
    return breaker
  }
}
