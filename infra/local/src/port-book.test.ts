import { describe, expect, it } from 'vitest'
import { assignPorts } from './port-book.ts'

/** Hands out 100, 101, … except what is taken, as a machine with these ports free would. */
function machine(occupied: readonly number[] = []) {
  return {
    isFree: async (port: number) => !occupied.includes(port),
    pick: async (taken: ReadonlySet<number>) => {
      for (let port = 100; ; port++) if (!taken.has(port) && !occupied.includes(port)) return port
    },
  }
}

describe('ports', () => {
  it('are free and all different the first time', async () => {
    expect(await assignPorts(machine([101]), {}, ['redis', 'kafka', 's3'], [100])).toEqual({ redis: 102, kafka: 103, s3: 104 })
  })

  it('are the same the next time', async () => {
    const before = { redis: 500, kafka: 501 }
    expect(await assignPorts(machine(), before, ['kafka', 'redis'], [])).toEqual(before)
  })

  it('are fresh where somebody else took the old one', async () => {
    expect(await assignPorts(machine([500]), { redis: 500, kafka: 501 }, ['redis', 'kafka'], [])).toEqual({
      redis: 100,
      kafka: 501,
    })
  })

  it('never collide with the port that the user chose', async () => {
    expect(await assignPorts(machine(), { redis: 8402 }, ['redis'], [8402])).toEqual({ redis: 100 })
  })

  it('stay with a name that is away this time', async () => {
    const before = { 'gateway-1': 100, redis: 200 }
    expect(await assignPorts(machine(), before, ['redis', 's3'], [])).toEqual({ 'gateway-1': 100, redis: 200, s3: 101 })
  })
})
