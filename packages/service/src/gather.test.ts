import { expect, it } from 'vitest'
import { gather } from './gather.ts'

/** Calls that end when they are told to. */
function held(limits: { worthACall: number; maxInACall: number; maxCallsUnderWay?: number }) {
  const calls: number[][] = []
  const ends: (() => void)[] = []
  const items = gather<number>({
    ...limits,
    call: (gathered) => {
      calls.push(gathered)
      return new Promise<void>((end) => ends.push(end))
    },
  })
  const add = (count: number) => Array.from({ length: count }, (_, at) => items.add(at))
  return { calls, ends, items, add }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const sizes = (calls: number[][]) => calls.map(({ length }) => length)

it('what comes in one turn goes together, at its end', async () => {
  const { calls, items, add } = held({ worthACall: 10, maxInACall: 10 })
  add(3)
  expect([sizes(calls), items.waiting()]).toEqual([[], 3])
  await turn()
  expect(calls).toEqual([[0, 1, 2]])
  expect(items.waiting()).toBe(0)
})

it('what is worth a call goes at once, beside one that is under way', async () => {
  const { calls, add } = held({ worthACall: 10, maxInACall: 10 })
  add(1)
  await turn()
  add(10)
  expect(sizes(calls)).toEqual([1, 10])
})

it('less waits until the call under way is back', async () => {
  const { calls, ends, items, add } = held({ worthACall: 10, maxInACall: 10 })
  add(10)
  add(9)
  expect([sizes(calls), items.waiting()]).toEqual([[10], 9])
  ends[0]?.()
  await expect.poll(() => sizes(calls)).toEqual([10, 9])
})

it('and no longer than a slow call is waited for', async () => {
  const { calls, add } = held({ worthACall: 10, maxInACall: 10 })
  add(10)
  add(1)
  await expect.poll(() => sizes(calls)).toEqual([10, 1])
})

it('takes along more than is worth a call where no further one may be under way, and never more than a call holds', async () => {
  const { calls, ends, items, add } = held({ worthACall: 10, maxInACall: 25, maxCallsUnderWay: 1 })
  add(70)
  expect([sizes(calls), items.waiting()]).toEqual([[10], 60])
  for (const at of [0, 1, 2]) {
    await expect.poll(() => ends.length).toBe(at + 1)
    ends[at]?.()
  }
  await expect.poll(() => sizes(calls)).toEqual([10, 25, 25, 10])
  expect(items.waiting()).toBe(0)
})
