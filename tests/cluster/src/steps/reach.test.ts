import { expect, it } from 'vitest'
import { judgeProbes, mayReach, PROBERS, TARGETS } from './reach.ts'

const asAllowed = PROBERS.flatMap((prober) =>
  TARGETS.map((target) => ({ prober, target, saw: mayReach(prober, target) ? 'connected' : 'timeout' })),
)

it('has for every target somebody who reaches it and somebody who does not', () => {
  for (const target of TARGETS) {
    const can = PROBERS.filter((prober) => mayReach(prober, target))
    expect(can, target).not.toEqual([])
    expect(can.length, target).toBeLessThan(PROBERS.length)
  }
})

it('lets nobody but the ledger reach the database, and no worker the chain', () => {
  expect(PROBERS.filter((prober) => mayReach(prober, 'postgres'))).toEqual(['ledger', 'stranger'])
  expect(mayReach('text-worker', 'chainRpc')).toBe(false)
})

it('finds nothing where everything is as it should be', () => {
  expect(judgeProbes(asAllowed)).toMatchObject({ differences: [], allowed: expect.any(Number), blocked: expect.any(Number) })
})

it('tells blocked from reached from could not run', () => {
  const changed = asAllowed.map((probe) => {
    if (probe.prober !== 'text-worker') return probe
    if (probe.target === 'postgres') return { ...probe, saw: 'connected' }
    if (probe.target === 'kafka') return { ...probe, saw: 'timeout' }
    return probe.target === 'redis' ? { ...probe, saw: 'ECONNREFUSED' } : probe
  })
  expect(judgeProbes(changed).differences).toEqual([
    'text-worker cannot reach kafka',
    'text-worker reaches postgres',
    'text-worker could not try redis: ECONNREFUSED',
  ])
})
