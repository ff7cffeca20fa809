import type { ClosedTarget } from '@turnpike/admission'
import { createLogger } from '@turnpike/service'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClosedModels, closuresOf, watchClosedModels } from './closed-models.ts'

const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
const target = (more: Partial<ClosedTarget> = {}): ClosedTarget => ({
  model: 'gm-2.5-flash',
  index: 0,
  of: 1,
  code: 'provider_unavailable',
  forMs: 4_200,
  ...more,
})
const overloaded = { code: 'provider_overloaded' } as const

describe('a model', () => {
  it('is closed while every target of it is, until the first may be tried again', () => {
    const [first, second] = [target({ of: 2 }), target({ of: 2, index: 1, forMs: 900 })]
    expect(closuresOf([], 1_000)).toEqual(new Map())
    expect(closuresOf([first], 1_000)).toEqual(new Map())
    expect(closuresOf([first, second], 1_000)).toEqual(
      new Map([['gm-2.5-flash', { code: 'provider_unavailable', untilMs: 1_900 }]]),
    )
  })

  it('is overloaded when all of its targets are, and unavailable when one is', () => {
    const both = (code: Partial<ClosedTarget>) =>
      closuresOf([target({ of: 2, ...overloaded }), target({ of: 2, index: 1, ...code })], 0)
    expect(both(overloaded).get('gm-2.5-flash')?.code).toBe('provider_overloaded')
    expect(both({}).get('gm-2.5-flash')?.code).toBe('provider_unavailable')
  })

  it('stays open while a worker knows of a further target', () => {
    expect(closuresOf([target({ of: 1 }), target({ of: 3, index: 1 })], 0)).toEqual(new Map())
  })

  it('closes no other model', () => {
    expect([...closuresOf([target(), target({ model: 'el/flash-v2.5', of: 2 })], 0).keys()]).toEqual(['gm-2.5-flash'])
  })
})

describe('the watch', () => {
  const watches: ClosedModels[] = []
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => {
    for (const watch of watches.splice(0)) watch.close()
    vi.useRealTimers()
  })

  function watchOf(read: () => Promise<ClosedTarget[]>, now = () => 1_000): ClosedModels {
    const watch = watchClosedModels({ closedTargets: read, now, logger })
    watches.push(watch)
    return watch
  }

  it('closes a model and opens it again as its upstreams go and come back', async () => {
    let closed: ClosedTarget[] = []
    const watch = watchOf(async () => closed)
    await vi.advanceTimersByTimeAsync(0)
    expect(watch.closure('gm-2.5-flash')).toBeUndefined()
    closed = [target(overloaded)]
    await vi.advanceTimersByTimeAsync(1_000)
    expect(watch.closure('gm-2.5-flash')).toEqual({ ...overloaded, retryAfterS: 5 })
    expect(watch.closure('gm-2.5-pro')).toBeUndefined()
    expect(watch.closed()).toEqual(['gm-2.5-flash'])
    closed = []
    await vi.advanceTimersByTimeAsync(1_000)
    expect(watch.closure('gm-2.5-flash')).toBeUndefined()
  })

  it('opens a model at its time when nothing can be read any more, and reads on', async () => {
    let nowMs = 0
    let reads = 0
    const watch = watchOf(
      () => (reads++ === 0 ? Promise.resolve([target()]) : Promise.reject(new Error('away'))),
      () => nowMs,
    )
    await vi.advanceTimersByTimeAsync(0)
    expect(watch.closed()).toEqual(['gm-2.5-flash'])
    nowMs = 4_199
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reads).toBe(2)
    expect(watch.closure('gm-2.5-flash')).toEqual({ code: 'provider_unavailable', retryAfterS: 1 })
    nowMs = 4_200
    expect(watch.closure('gm-2.5-flash')).toBeUndefined()
    expect(watch.closed()).toEqual([])
  })

  it('does not ask again while it is not answered', async () => {
    let reads = 0
    const answer = Promise.withResolvers<ClosedTarget[]>()
    watchOf(() => {
      reads += 1
      return answer.promise
    })
    await vi.advanceTimersByTimeAsync(3_000)
    expect(reads).toBe(1)
    answer.resolve([])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reads).toBe(2)
  })
})
