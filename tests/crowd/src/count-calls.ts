import type { Crowd } from './crowd.ts'

export type CallsPerCharge = {
  total: number
  perCharged: number
  most: number
  /** Requests that were charged without a call that can be told from others. */
  without: number
}

/** The upstream's calls held against what was charged: texts are what the sandbox kept of each call. */
export function countCalls(crowd: Pick<Crowd, 'requests' | 'byMarker'>, texts: Iterable<string>): CallsPerCharge {
  const calls = new Map<number, number>()
  for (const text of texts) {
    const request = crowd.byMarker(text)
    if (request?.paid !== undefined) calls.set(request.number, (calls.get(request.number) ?? 0) + 1)
  }
  const charged = crowd.requests.filter((request) => request.paid !== undefined).length
  const total = [...calls.values()].reduce((sum, each) => sum + each, 0)
  return {
    total,
    perCharged: charged === 0 ? 0 : total / charged,
    most: Math.max(0, ...calls.values()),
    without: charged - calls.size,
  }
}
