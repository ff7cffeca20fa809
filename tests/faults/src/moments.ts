import type { Crowd, PaidRequest, Work } from '@turnpike/crowd'
import { until } from '@turnpike/testing'
import type { Moment } from './fault.ts'
import type { FaultProxy } from './fault-proxy.ts'
import type { Upstream } from './upstream.ts'

export type Caught = {
  /** The paid requests that are at this moment, at least one. */
  requests: PaidRequest[]
  /** Lets go of the one that is held there. */
  release(): void
}

const PATIENCE_MS = 45_000

/**
 * Waits until a paid request of the crowd is where the fault shall strike, and where possible keeps it there. At the provider it is one for
 * these works.
 */
export async function catchMoment(
  deps: { crowd: Crowd; upstream: Upstream; facilitatorProxy: FaultProxy },
  moment: Moment,
  works: readonly Work[],
): Promise<Caught> {
  switch (moment) {
    case 'working':
      return { requests: await untilWorking(deps, works), release: () => {} }
    case 'verifying':
      return hold(deps, '/verify', 'before')
    case 'settling':
      return hold(deps, '/settle', 'before')
    case 'settled':
      return hold(deps, '/settle', 'after')
  }
}

function untilWorking({ crowd, upstream }: { crowd: Crowd; upstream: Upstream }, works: readonly Work[]): Promise<PaidRequest[]> {
  return until(
    'a paid request at the provider',
    async () => {
      await upstream.refresh()
      const pending = upstream.pending().flatMap(({ text }) => crowd.byMarker(text) ?? [])
      const found = pending.filter(({ work }) => works.includes(work))
      return found.length === 0 ? undefined : found
    },
    PATIENCE_MS,
  )
}

async function hold(
  { crowd, facilitatorProxy }: { crowd: Crowd; facilitatorProxy: FaultProxy },
  path: string,
  when: 'before' | 'after',
): Promise<Caught> {
  const { body, release } = await facilitatorProxy.hold(path, when, PATIENCE_MS)
  const request = crowd.byNonce(nonceIn(body) ?? '')
  if (request === undefined) {
    release()
    throw new Error(`a call to ${path} for a payment that no client of this run signed`)
  }
  return { requests: [request], release }
}

/** The nonce of the payment in a call to the facilitator. */
export function nonceIn(body: string): string | undefined {
  return /"nonce"\s*:\s*"(0x[0-9a-fA-F]{64})"/.exec(body)?.[1]?.toLowerCase()
}
