import { createLogger } from '@turnpike/service'
import type { SampleEnd } from '@turnpike/storage/staged-audio'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchKeys } from './watch-keys.ts'

const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
let end: SampleEnd | Error
const open = vi.fn(async () => {
  if (end instanceof Error) throw end
  return end
})
const tell = vi.fn(async (_end: SampleEnd) => {})
const sample = { open, tell }

beforeEach(() => {
  vi.useFakeTimers()
  end = 'opened'
  open.mockClear()
  tell.mockReset()
})
afterEach(() => vi.useRealTimers())

/** Whether it resolved so far. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false
  void promise.then(() => {
    done = true
  })
  await vi.advanceTimersByTimeAsync(0)
  return done
}

it('a worker that may not unwrap takes no job until it may, and says so all the while', async () => {
  end = 'refused'
  const keys = watchKeys({ sample, logger })
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([false, false])
  await vi.advanceTimersByTimeAsync(8_000)
  expect(tell.mock.calls).toEqual(Array.from({ length: 5 }, () => ['refused']))
  end = 'opened'
  await vi.advanceTimersByTimeAsync(2_000)
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  expect(tell).toHaveBeenLastCalledWith('opened')
  keys.close()
})

it('one that loses the right finds out within ten seconds, and asks no more once it is closed', async () => {
  const keys = watchKeys({ sample, logger })
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  end = 'refused'
  await vi.advanceTimersByTimeAsync(10_000)
  expect(keys.isUp()).toBe(false)
  keys.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(open).toHaveBeenCalledTimes(2)
})

it('where nobody stages there is nothing to wait for', async () => {
  end = 'none'
  const keys = watchKeys({ sample, logger })
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  keys.close()
})

it('a sample that is gone, as from a Redis that was emptied, gives no right back', async () => {
  end = 'refused'
  const keys = watchKeys({ sample, logger })
  await vi.advanceTimersByTimeAsync(0)
  end = 'none'
  await vi.advanceTimersByTimeAsync(2_000)
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([false, false])
  end = 'opened'
  await vi.advanceTimersByTimeAsync(500)
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  keys.close()
})

it('Redis that is away says nothing of the keys: at the start it is waited for, later what is known holds', async () => {
  end = new Error('away')
  const keys = watchKeys({ sample, logger })
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([false, true])
  end = 'refused'
  await vi.advanceTimersByTimeAsync(500)
  expect(keys.isUp()).toBe(false)
  end = new Error('away')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(keys.isUp()).toBe(false)
  end = 'opened'
  await vi.advanceTimersByTimeAsync(500)
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  keys.close()
})

it('a worker that cannot leave word goes on by what it found', async () => {
  tell.mockRejectedValue(new Error('NOPERM'))
  const keys = watchKeys({ sample, logger })
  expect([await isDone(keys.firstUp()), keys.isUp()]).toEqual([true, true])
  keys.close()
})
