import { loadConfig } from '@turnpike/service'
import { expect, it } from 'vitest'
import { FacilitatorConfig, refuseOpenHouse } from './config.ts'

const ENV = {
  PORT: '0',
  INTERNAL_PORT: '0',
  CHAIN_RPC_URL: 'http://127.0.0.1:8545',
  SIGNER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
}
const load = (env: Record<string, string> = {}) => loadConfig('facilitator', FacilitatorConfig, { ...ENV, ...env })
const SELLER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

it('listens on the loopback unless it is told otherwise', () => {
  expect(load().host).toBe('127.0.0.1')
  expect(() => refuseOpenHouse(load())).not.toThrow()
})

it('reads the recipients that it settles for, whatever their spelling', () => {
  expect(load().payTo).toBeUndefined()
  const another = `0x${'ab'.repeat(20)}`
  expect(load({ PAY_TO: `${SELLER}, ${another}` }).payTo).toEqual([SELLER.toLowerCase(), another])
  for (const wrong of ['0x12', `${SELLER},`, 'seller']) expect(() => load({ PAY_TO: wrong })).toThrow('PAY_TO')
})

it.each(['0.0.0.0', '::', '10.0.0.7'])(
  'does not listen on %s for whoever comes by, with any transfer or one to the seller',
  (HOST) => {
    expect(() => refuseOpenHouse(load({ HOST }))).toThrow('set FACILITATOR_TOKEN')
    expect(() => refuseOpenHouse(load({ HOST, PAY_TO: SELLER }))).toThrow('set FACILITATOR_TOKEN')
    expect(() => refuseOpenHouse(load({ HOST, FACILITATOR_TOKEN: 'a-token-of-the-test' }))).not.toThrow()
  },
)

it('takes no token that could be guessed', () => {
  expect(() => load({ FACILITATOR_TOKEN: 'short' })).toThrow('FACILITATOR_TOKEN')
})
