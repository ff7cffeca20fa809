import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ClientRateLimit, clientOf, openClientRateLimit } from './client-rate-limit.ts'

describe('a client', () => {
  let now = 0
  let limit: ClientRateLimit
  beforeEach(() => {
    now = 1_000_000
    limit = openClientRateLimit({ perMinute: 3, now: () => now })
  })
  const ask = (client: string, times: number) => Array.from({ length: times }, () => limit(client))

  it('may ask as often as is allowed, and is then told when it may again', () => {
    expect(ask('a', 3)).toEqual([undefined, undefined, undefined])
    now += 19_500
    expect(ask('a', 2)).toEqual([41, 41])
    now += 40_499
    expect(ask('a', 1)).toEqual([1])
    now += 1
    expect(ask('a', 4)).toEqual([undefined, undefined, undefined, 60])
  })

  it('has nothing to do with another', () => {
    expect(ask('a', 4).at(-1)).toBe(60)
    expect(ask('b', 3)).toEqual([undefined, undefined, undefined])
  })
})

describe('a crowd of clients', () => {
  it('takes no more memory than its bound, and gives the busy one among them no fresh count', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().heapUsed
    const limit = openClientRateLimit({ perMinute: 3, now: () => 1_000_000, maxClients: 1_000 })
    const refused = []
    for (let at = 0; at < 200_000; at++) {
      limit(`2001:db8:${at.toString(16)}::/56`)
      if (at % 500 === 0) refused.push(limit('busy'))
    }
    expect(refused.slice(0, 3)).toEqual([undefined, undefined, undefined])
    expect(new Set(refused.slice(3))).toEqual(new Set([60]))
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
    expect(limit('busy')).toBe(60)
  })

  it('forgets who asked longest ago, and refuses nobody for the others', () => {
    const limit = openClientRateLimit({ perMinute: 1, now: () => 1_000_000, maxClients: 2 })
    expect(['a', 'b', 'a', 'c', 'a', 'b'].map((client) => limit(client))).toEqual([
      undefined,
      undefined,
      60,
      undefined,
      60,
      undefined,
    ])
  })
})

describe('a client is known by', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2ff::1', '2001:db8:1:200::/56'],
    ['2001:db8:1:200:1:2:3:4', '2001:db8:1:200::/56'],
    ['2001:DB8:0001:0300::', '2001:db8:1:300::/56'],
    ['::1', '0:0:0:0::/56'],
    ['fe80::', 'fe80:0:0:0::/56'],
  ])('its network: %s is %s', (address, network) => {
    expect(clientOf(address, undefined, 0)).toBe(network)
  })

  it('its own address, whatever it says of others, where no proxy is trusted', () => {
    expect(clientOf('203.0.113.7', '198.51.100.1', 0)).toBe('203.0.113.7')
  })

  it('the address that the outermost trusted proxy saw', () => {
    const said = '192.0.2.99, 198.51.100.1, 10.0.0.2'
    expect(clientOf('10.0.0.1', said, 1)).toBe('10.0.0.2')
    expect(clientOf('10.0.0.1', said, 2)).toBe('198.51.100.1')
    expect(clientOf('10.0.0.1', '198.51.100.1', 3)).toBe('198.51.100.1')
    expect(clientOf('10.0.0.1', undefined, 2)).toBe('10.0.0.1')
    expect(clientOf('10.0.0.1', '2001:db8:1:2ff::1', 1)).toBe('2001:db8:1:200::/56')
  })
})
