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
  /** Milliseconds of a clock that only goes forward. */
  monotonicMs?: () => number
}): Promise<AdmissionGate> {
  const monotonicMs = options.monotonicMs ?? (() => performance.now())
  const states: Record<string, boolean> = {}
  const lateOnes = new Set<string>()
  let inFlight = 0
  let closed = false

  async function probe(name: string, check: Check): Promise<void> {
    const askedAt = monotonicMs()
    const isUp = await within(check, PROBE_TIMEOUT_MS)
    // A check has limits of its own: what says no after a second was waited for in vain, and did not refuse.
    const isLate = !isUp && monotonicMs() - askedAt >= LATE_AFTER_MS
    // A process that was held up finds its own timers due before the answers it could not read: one late answer says nothing of the other side.
    const isFirstLate = isLate && states[name] === true && !lateOnes.has(name)
    if (isLate) lateOnes.add(name)
    else lateOnes.delete(name)
    if (isFirstLate) {
      options.logger.warn({ dependency: name }, 'dependency answered late, once')
      return
    }
    if (states[name] !== isUp)
      options.logger[isUp ? 'info' : 'warn']({ dependency: name }, isUp ? 'dependency is up' : 'dependency is away')
    states[name] = isUp
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

async function within(check: Check, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  const asked = Promise.resolve()
    .then(check)
    .catch(() => false)
  const isUp = await Promise.race([asked, timedOut])
  clearTimeout(timer)
  return isUp
}
