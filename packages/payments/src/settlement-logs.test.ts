import { pad } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  type MinedLog,
  TRANSFER_TOPIC,
  topicOfAddress,
  useInLogs,
} from './settlement-logs.ts'
import { type Hex, USDC_ADDRESS } from './usdc.ts'

const payer: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const payTo: Hex = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const nonce: Hex = `0x${'ab'.repeat(32)}`
const otherNonce: Hex = `0x${'cd'.repeat(32)}`
const expected = { payer, nonce, payTo, amountAtomic: 2000n }

const used = (logIndex: number, usedNonce: Hex = nonce): MinedLog => ({
  address: USDC_ADDRESS.toLowerCase(),
  topics: [AUTHORIZATION_USED_TOPIC, topicOfAddress(payer), usedNonce],
  data: '0x',
  logIndex,
})
const transfer = (logIndex: number, to: Hex = payTo, amount = 2000n, address: string = USDC_ADDRESS): MinedLog => ({
  address,
  topics: [TRANSFER_TOPIC, topicOfAddress(payer), topicOfAddress(to)],
  data: pad(`0x${amount.toString(16)}`, { size: 32 }),
  logIndex,
})

describe('useInLogs', () => {
  it('pairs an authorization with the transfer directly after it, wherever in the list they are', () => {
    expect(useInLogs([used(4), transfer(5)], expected)).toBe('paid')
    expect(useInLogs([transfer(5), used(4)], { ...expected, payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' })).toBe('paid')
  })

  it('does not lend one payment’s transfer to another authorization of the same payer and amount', () => {
    const logs = [used(0), transfer(1, payer), used(2, otherNonce), transfer(3)]
    expect(useInLogs(logs, expected)).toBe('other_transfer')
    expect(useInLogs(logs, { ...expected, nonce: otherNonce })).toBe('paid')
  })

  it.each([
    ['another amount', [used(0), transfer(1, payTo, 1999n)], 'other_transfer'],
    ['another recipient', [used(0), transfer(1, payer)], 'other_transfer'],
    ['another token’s transfer', [used(0), transfer(1, payTo, 2000n, payer)], 'other_transfer'],
    ['a transfer that is not adjacent', [used(0), transfer(2)], 'other_transfer'],
    ['a transfer before its authorization', [transfer(0), used(1)], 'other_transfer'],
    ['a transfer without the authorization', [transfer(0), used(1, otherNonce)], 'untouched'],
    ['the same event of another contract', [{ ...used(0), address: payer }, transfer(1)], 'untouched'],
    ['nothing', [], 'untouched'],
    [
      'a cancellation',
      [{ ...used(0), topics: [AUTHORIZATION_CANCELED_TOPIC, topicOfAddress(payer), nonce] }, transfer(1)],
      'cancelled',
    ],
  ])('calls %s no payment', (_title, logs, use) => {
    expect(useInLogs(logs, expected)).toBe(use)
  })
})
