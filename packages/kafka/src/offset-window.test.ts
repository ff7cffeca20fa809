import { describe, expect, test } from 'vitest'
import { createOffsetWindow } from './offset-window.ts'

function windowOf(...offsets: bigint[]) {
  const window = createOffsetWindow()
  for (const offset of offsets) window.add(offset)
  return window
}

describe('offset window', () => {
  test('has no watermark before anything was delivered', () => {
    expect(createOffsetWindow().watermark()).toBeUndefined()
  })

  test('keeps the watermark at the first unfinished offset, however much above it is done', () => {
    const window = windowOf(5n, 6n, 7n, 8n)
    for (const offset of [8n, 6n, 7n]) window.finish(offset)
    expect(window.watermark()).toBe(5n)
    expect(window.size()).toBe(4)
    window.finish(5n)
    expect(window.watermark()).toBe(9n)
    expect(window.size()).toBe(0)
  })

  test('steps over gaps in the log', () => {
    const window = windowOf(5n, 9n)
    window.deliveredBelow(12n)
    window.finish(5n)
    expect(window.watermark()).toBe(9n)
    window.finish(9n)
    expect(window.watermark()).toBe(12n)
  })

  test('ignores what it does not know, and a second finish', () => {
    const window = windowOf(5n, 6n)
    window.finish(4n)
    window.finish(6n)
    window.finish(6n)
    expect(window.watermark()).toBe(5n)
  })

  test('agrees with a naive count for every order of finishing', () => {
    const offsets = Array.from({ length: 5_000 }, (_, index) => BigInt(index) * 2n)
    const window = windowOf(...offsets)
    const unfinished = new Set(offsets)
    // 1,777 and 5,000 have no common divisor: every offset once, far from ascending.
    for (let step = 0; step < offsets.length; step += 1) {
      const offset = offsets[(step * 1_777) % offsets.length] ?? 0n
      window.finish(offset)
      unfinished.delete(offset)
      if (step % 250 === 0 || unfinished.size < 20) {
        const naive = offsets.find((candidate) => unfinished.has(candidate)) ?? 9_999n
        expect(window.watermark()).toBe(naive)
      }
    }
    expect(window.size()).toBe(0)
  })
})
