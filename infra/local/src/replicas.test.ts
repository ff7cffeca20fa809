import { describe, expect, it } from 'vitest'
import { parseReplicas } from './replicas.ts'

const names = ['ledger', 'gateway'] as const

describe('replicas', () => {
  it('are one of each when nothing is said', () => {
    expect(parseReplicas(undefined, names)).toEqual({ ledger: 1, gateway: 1 })
  })

  it('take one number for every service', () => {
    expect(parseReplicas('3', names)).toEqual({ ledger: 3, gateway: 3 })
  })

  it('take a list, and leave one of what it does not name', () => {
    expect(parseReplicas(' gateway=2 ', names)).toEqual({ ledger: 1, gateway: 2 })
    expect(parseReplicas('gateway=2,ledger=4', names)).toEqual({ ledger: 4, gateway: 2 })
  })

  it('refuse a name that is no service, naming the services', () => {
    expect(() => parseReplicas('gatway=2', names)).toThrow('"gatway", which is no service; the services are ledger, gateway')
  })

  it.each(['0', '-1', '1.5', '17', 'two', 'gateway=', 'gateway=0', '2,gateway=3'])('refuse %j', (text) => {
    expect(() => parseReplicas(text, names)).toThrow('TURNPIKE_REPLICAS')
  })
})
