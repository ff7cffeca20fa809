import type { Stack } from '@turnpike/local'
import { type Fault, type SandboxCall, setFaults } from '@turnpike/testing'
import { VENDORS } from './fault.ts'

export type Upstream = {
  /** Faults in front of the usual answer, which always takes a moment. */
  misbehave(faults: readonly Fault[]): Promise<void>
  /** Reads the new calls; false when the upstream cannot be asked. */
  refresh(): Promise<boolean>
  /** As of the last refresh. */
  pending(): SandboxCall[]
  calls(): SandboxCall[]
  close(): void
}

const USUAL_ANSWER_MS = 350
const POLL_MS = 300
/** Outcomes of calls arrive after them: that many are read again each time. */
const READ_AGAIN = 300

/** The upstream's side of the run: what it is told to do, and every call that it got. */
export function openUpstream(stack: () => Stack): Upstream {
  const known = new Map<number, SandboxCall>()
  let latest: SandboxCall[] = []
  let highest = 0
  const usual = VENDORS.map((upstream): Fault => ({ upstream, kind: 'latency', ms: USUAL_ANSWER_MS }))

  async function refresh(): Promise<boolean> {
    const url = `${stack().sandbox?.adminUrl}/calls?since=${Math.max(0, highest - READ_AGAIN)}`
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
      latest = ((await response.json()) as { calls: SandboxCall[] }).calls
    } catch {
      latest = []
      return false
    }
    for (const call of latest) {
      known.set(call.n, call)
      highest = Math.max(highest, call.n)
    }
    return true
  }
  const timer = setInterval(() => void refresh(), POLL_MS)
  return {
    misbehave: (faults) => setFaults(stack(), [...faults, ...usual]),
    refresh,
    pending: () => latest.filter(({ outcome }) => outcome === 'pending'),
    calls: () => [...known.values()],
    close: () => clearInterval(timer),
  }
}
