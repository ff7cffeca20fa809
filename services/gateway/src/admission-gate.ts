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

/**
 * Whether new work may be taken, known before it is asked: dependencies are probed in the background, so an unpaid request pays no
 * round trip for it and nobody is asked to sign for what cannot be delivered.
 */
export async function openAdmissionGate(options: {
  checks: Record<string, Check>
  maxInFlight: number
  logger: Logger
}): Promise<AdmissionGate> {
  const states: Record<string, boolean> = {}
  let inFlight = 0
  let closed = false

  async function probe(name: string, check: Check): Promise<void> {
    const up = await within(check, PROBE_TIMEOUT_MS)
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

async function within(check: Check, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs)
  })
  try {
    return await Promise.race([Promise.resolve().then(check), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
