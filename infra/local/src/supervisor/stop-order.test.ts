import { describe, expect, it } from 'vitest'
import { graceOf, stopOrder } from './stop-order.ts'

describe('a stop', () => {
  it('goes from the front to the back, equals together', () => {
    const entries = [3, 1, 6, 3].map((stopRank, index) => ({ index, unit: { stopRank } }))
    const order = stopOrder(entries).map(({ rank, members }) => [rank, members.map(({ index }) => index)])
    expect(order).toEqual([
      [6, [2]],
      [3, [0, 3]],
      [1, [1]],
    ])
  })

  it('stays within its 15 s when nothing listens, and asks everybody first', () => {
    let spentMs = 0
    for (const rank of [6, 5, 4, 3, 2, 1]) {
      const graceMs = graceOf(rank, spentMs)
      expect(graceMs).toBeGreaterThan(0)
      spentMs += graceMs
    }
    expect(spentMs).toBeLessThan(14_000)
  })
})
