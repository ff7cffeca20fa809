import { createLogger } from '@turnpike/service'
import { afterEach, describe, expect, it } from 'vitest'
import { type AdmissionGate, openAdmissionGate } from './admission-gate.ts'

const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
const gates: AdmissionGate[] = []
afterEach(() => {
  for (const gate of gates.splice(0)) gate.close()
})

async function gateOf(checks: Parameters<typeof openAdmissionGate>[0]['checks'], maxInFlight = 2): Promise<AdmissionGate> {
  const gate = await openAdmissionGate({ checks, maxInFlight, logger })
  gates.push(gate)
  return gate
}

describe('the admission gate', () => {
  it('is open when everything is up, and knows it from its first moment', async () => {
    const gate = await gateOf({ kafka: () => true, redis: async () => true })
    expect(gate.closedBy()).toBeUndefined()
    expect(gate.states()).toEqual({ kafka: true, redis: true })
  })

  it('is closed by a dependency that says no, throws, rejects or does not answer', { timeout: 20_000 }, async () => {
    const checks = {
      no: () => false,
      throws: () => {
        throw new Error('away')
      },
      rejects: () => Promise.reject(new Error('away')),
      hangs: () => new Promise<boolean>(() => {}),
    }
    for (const [name, check] of Object.entries(checks))
      expect((await gateOf({ up: () => true, [name]: check })).closedBy()).toBe(name)
  })

  it('closes and opens as a dependency goes and comes back', { timeout: 20_000 }, async () => {
    let up = true
    const gate = await gateOf({ ledger: () => up })
    expect(gate.closedBy()).toBeUndefined()
    up = false
    await expect.poll(() => gate.closedBy(), { timeout: 5_000 }).toBe('ledger')
    up = true
    await expect.poll(() => gate.closedBy(), { timeout: 5_000 }).toBeUndefined()
  })

  it('asks a dependency that hangs again only after its time is up, and believes it when it is back', {
    timeout: 20_000,
  }, async () => {
    const pending: ((up: boolean) => void)[] = []
    const closedWhenAsked: (string | undefined)[] = []
    const gate: AdmissionGate = await gateOf({
      s3: () => {
        if (gates.length === 0) return true
        closedWhenAsked.push(gate.closedBy())
        return new Promise<boolean>((resolve) => pending.push(resolve))
      },
    })
    await expect.poll(() => pending.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3)
    expect(closedWhenAsked.slice(0, 3)).toEqual([undefined, undefined, 's3'])
    await expect
      .poll(
        () => {
          for (const answer of pending) answer(true)
          return gate.closedBy()
        },
        { timeout: 10_000 },
      )
      .toBeUndefined()
  })

  const late = () => new Promise<boolean>(() => {})
  const lateByItsOwnLimit = () => new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1_100))
  it.each([
    ['no answer', late],
    ['a check that gave up', lateByItsOwnLimit],
  ])('stays open after %s once, as when the process itself was held up', async (_, answerLate) => {
    let asked = 0
    const closedWhenAsked: (string | undefined)[] = []
    const gate: AdmissionGate = await gateOf({
      redis: () => {
        if (++asked > 1) closedWhenAsked.push(gate.closedBy())
        return asked % 2 === 0 ? answerLate() : true
      },
    })
    await expect.poll(() => asked, { timeout: 60_000 }).toBeGreaterThanOrEqual(6)
    expect(closedWhenAsked.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined])
  })

  it('is closed by capacity, and counts everybody who leaves once', async () => {
    const gate = await gateOf({ kafka: () => true }, 2)
    const leave = [gate.enter(), gate.enter()]
    expect(gate.inFlight()).toBe(2)
    expect(gate.closedBy()).toBe('capacity')
    leave[0]?.()
    leave[0]?.()
    expect(gate.inFlight()).toBe(1)
    expect(gate.closedBy()).toBeUndefined()
    leave[1]?.()
    expect(gate.inFlight()).toBe(0)
  })

  it('gives its states away as a copy', async () => {
    const gate = await gateOf({ kafka: () => true })
    gate.states().kafka = false
    expect(gate.closedBy()).toBeUndefined()
  })
})
