import { describe, expect, it } from 'vitest'
import { randomMixture, slowInputs } from './testing/slow-inputs.ts'
import { walkMp3 } from './walk-mp3.ts'

/** Processor time: a machine that is busy with something else says nothing about the walk. It takes a hundredth of it. */
const MAX_MS = 3_000
const BYTES = 4 * 1_024 * 1_024

function walkMs(bytes: Buffer): number {
  const startedUs = process.threadCpuUsage().user
  walkMp3(bytes)
  return (process.threadCpuUsage().user - startedUs) / 1_000
}

describe('a walk', () => {
  it.each(slowInputs(BYTES))('ends soon over %s', (_name, input) => {
    expect(walkMs(input)).toBeLessThan(MAX_MS)
  })

  it('ends, and does so with the same answer again, whatever the bytes', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const bytes = randomMixture(64 * 1_024, seed)
      const walk = walkMp3(bytes)
      expect(walkMp3(new Uint8Array(bytes))).toEqual(walk)
      if (walk.ok) {
        expect(Number.isInteger(walk.durationMs) && walk.durationMs > 0).toBe(true)
        // 24 ms in 24 bytes is the most that a frame can say.
        expect(walk.durationMs).toBeLessThanOrEqual(bytes.length)
      }
    }
  })
})
