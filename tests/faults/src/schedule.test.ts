import { randomFrom } from '@turnpike/crowd'
import { describe, expect, it } from 'vitest'
import { describeFault, nameOf, PARTS, type PlannedFault, SERVICES } from './fault.ts'
import { boundedSchedule, endlessSchedule } from './schedule.ts'

describe('a schedule', () => {
  it('is the same for the same seed and another for another', () => {
    expect(boundedSchedule(randomFrom(5))).toEqual(boundedSchedule(randomFrom(5)))
    expect(boundedSchedule(randomFrom(5))).not.toEqual(boundedSchedule(randomFrom(6)))
    const first = (seed: number) => drawn(50, seed).map(describeFault)
    expect(first(5)).toEqual(first(5))
    expect(first(5)).not.toEqual(first(6))
  })

  it('of the bounded form kills every service and cuts every dependency, whatever the seed', () => {
    for (let seed = 0; seed < 50; seed++) {
      const faults = boundedSchedule(randomFrom(seed)).map(({ fault }) => fault)
      for (const service of SERVICES) expect(faults).toContainEqual({ kind: 'service', service, how: 'kill', replicas: 'all' })
      for (const part of PARTS) expect(faults.filter((fault) => fault.kind === 'part' && fault.part === part)).toHaveLength(1)
      expect(faults).toContainEqual({
        kind: 'service',
        service: expect.stringMatching(/^(media|transcription)-worker$/),
        how: 'terminate',
        replicas: 'all',
      })
      expect(faults).toContainEqual({ kind: 'flush' })
    }
  })

  it('never kills the chain, which would forget what it has mined', () => {
    const names = drawn(3_000, 1).map(({ fault }) => nameOf(fault))
    expect(names).not.toContain('chain: kill -9')
    expect(names).toContain('chain: stopped')
    expect(names).toContain('kafka: kill -9')
  })

  it('draws a stream of its own for every name', () => {
    const random = randomFrom(9)
    const before = randomFrom(9)
    random.fork('clients').unit()
    expect(random.unit()).toBe(before.unit())
    expect(randomFrom(9).fork('a').unit()).not.toBe(randomFrom(9).fork('b').unit())
  })
})

function drawn(count: number, seed: number): PlannedFault[] {
  const schedule = endlessSchedule(randomFrom(seed))
  return Array.from({ length: count }, () => schedule.next().value as PlannedFault)
}
