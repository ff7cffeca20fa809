import type { Check, Logger } from '@turnpike/service'

export type AdmissionGate = {
  /** Undefined when new work may be taken; else the dependency that is away, or `capacity`. */
  closedBy(): string | undefined
  /** Counts one admitted request until the returned function is called. */
  enter(): () => void
  inFlight(): number
  /** The last known state of every dependency. */
  states(): Record<string, boolean>
  close(): void
}

const PROBE_EVERY_MS = 1_000
const PROBE_TIMEOUT_MS = 2_000
const LATE_AFTER_MS = 1_000

/**
 * Whether new work may be taken, known before it is asked: dependencies are probed in the background, so an unpaid request pays no
 * round trip for it and nobody is asked to sign for what cannot be delivered. A dependency that says no closes at once, one that does
 * not answer in time closes at the second time in a row.
 */
export async function openAdmissionGate(options: {
  checks: Record<string, Check>
  maxInFlight: number
  logger: Logger
}): Promise<AdmissionGate> {
  const states: Record<string, boolean> = {}
  const lateOnes = new Set<string>()
  let inFlight = 0
  let closed = false

  async function probe(name: string, check: Check): Promise<void> {
    const answer = await within(check, PROBE_TIMEOUT_MS)
    // A process that was held up finds its own timers due before the answers it could not read: one late answer says nothing of the other side.
    const isFirstLate = answer === 'late' && states[name] === true && !lateOnes.has(name)
    if (answer === 'late') lateOnes.add(name)
    else lateOnes.delete(name)
    if (isFirstLate) return
    const up = answer === 'up'
    if (states[name] !== up)
      options.logger[up ? 'info' : 'warn']({ dependency: name }, up ? 'dependency is up' : 'dependency is away')
    states[name] = up
  }

  const timers = Object.entries(options.checks).map(([name, check]) => {
    let running = false
    return setInterval(() => {
      if (running || closed) return
      running = true
      void probe(name, check).finally(() => {
        running = false
      })
    }, PROBE_EVERY_MS)
  })
  await Promise.all(Object.entries(options.checks).map(([name, check]) => probe(name, check)))

  return {
    closedBy() {
      if (inFlight >= options.maxInFlight) return 'capacity'
      for (const name in states) if (!states[name]) return name
      return undefined
    },
    enter() {
      inFlight++
      let left = false
      return () => {
        if (left) return
        left = true
        inFlight--
      }
    },
    inFlight: () => inFlight,
    states: () => ({ ...states }),
    close() {
      closed = true
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** A check has limits of its own: what says no after a second was waited for in vain, and did not refuse. */
async function within(check: Check, timeoutMs: number): Promise<'up' | 'away' | 'late'> {
  const askedAt = performance.now()
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const asked = Promise.resolve()
    .then(check)
    .catch(() => false)
  const up = await Promise.race([asked, timedOut])
  clearTimeout(timer)
  if (up) return 'up'
  return performance.now() - askedAt < LATE_AFTER_MS ? 'away' : 'late'
}
