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

  it('stays open when one answer comes late, as when the process itself was held up, and closes at the second in a row', {
    timeout: 60_000,
  }, async () => {
    let clockMs = 0
    const takesMs = [0, 1_100, 0, 1_100, 1_100, 0]
    const closedWhenAsked: (string | undefined)[] = []
    const gate: AdmissionGate = await openAdmissionGate({
      checks: {
        redis: () => {
          if (gates.length > 0) closedWhenAsked.push(gate.closedBy())
          // A client with a limit of its own gives up by itself.
          const tookMs = takesMs.shift() ?? 0
          clockMs += tookMs
          return tookMs === 0
        },
      },
      maxInFlight: 2,
      logger,
      monotonicMs: () => clockMs,
    })
    gates.push(gate)
    await expect.poll(() => closedWhenAsked.length).toBeGreaterThanOrEqual(6)
    expect(closedWhenAsked.slice(0, 6)).toEqual([undefined, undefined, undefined, undefined, 'redis', undefined])
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
