import { pad } from 'viem'
import { describe, expect, it } from 'vitest'
import { AUTHORIZATION_USED_TOPIC, type MinedLog, TRANSFER_TOPIC, topicOfAddress } from './settlement-logs.ts'
import { transfersInLogs } from './transfers-to-seller.ts'
import { type Hex, USDC_ADDRESS } from './usdc.ts'

const payer: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const stranger: Hex = '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65'
const payTo: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const nonceOf = (byte: string): Hex => `0x${byte.repeat(32)}`

const used = (logIndex: number, nonce: Hex, by = payer): MinedLog => ({
  address: USDC_ADDRESS,
  topics: [AUTHORIZATION_USED_TOPIC, topicOfAddress(by), nonce],
  data: '0x',
  logIndex,
})
const transfer = (logIndex: number, amount: bigint, to: Hex = payTo, from: Hex = payer): MinedLog => ({
  address: USDC_ADDRESS,
  topics: [TRANSFER_TOPIC, topicOfAddress(from), topicOfAddress(to)],
  data: pad(`0x${amount.toString(16)}`, { size: 32 }),
  logIndex,
})

describe('transfersInLogs', () => {
  it('gives each transfer of a batch the authorization that stands right before it', () => {
    const logs = [used(0, nonceOf('aa')), transfer(1, 2000n), used(2, nonceOf('bb')), transfer(3, 2000n), transfer(4, 7n)]
    expect(transfersInLogs(logs, payTo.toUpperCase().replace('0X', '0x'))).toEqual([
      { payer, nonce: nonceOf('aa'), amountAtomic: 2000n, logIndex: 1 },
      { payer, nonce: nonceOf('bb'), amountAtomic: 2000n, logIndex: 3 },
      { payer, nonce: undefined, amountAtomic: 7n, logIndex: 4 },
    ])
  })

  it('lends no authorization to another payer, across a gap, from before another transfer or from another contract', () => {
    const nonce = nonceOf('aa')
    const plain = { payer, nonce: undefined, amountAtomic: 5n }
    expect(transfersInLogs([used(0, nonce, stranger), transfer(1, 5n)], payTo)).toMatchObject([plain])
    expect(transfersInLogs([used(0, nonce), transfer(2, 5n)], payTo)).toMatchObject([plain])
    expect(transfersInLogs([used(0, nonce), transfer(1, 5n, stranger), transfer(2, 5n)], payTo)).toMatchObject([plain])
    expect(transfersInLogs([{ ...used(0, nonce), address: stranger }, transfer(1, 5n)], payTo)).toMatchObject([plain])
  })

  it('leaves out transfers to others and of other tokens', () => {
    const logs = [used(0, nonceOf('aa')), transfer(1, 5n, stranger), { ...transfer(2, 5n), address: stranger }]
    expect(transfersInLogs(logs, payTo)).toEqual([])
  })
})
