import { RpcRequestError, TimeoutError } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Fees, raiseFees } from './fees.ts'
import { type SendVerdict, sendVerdict } from './send-verdict.ts'

describe('sendVerdict', () => {
  // The words of geth, op-geth, reth, Erigon, Nethermind and anvil.
  it.each<[string, SendVerdict]>([
    ['already known', 'accepted'],
    ['ALREADY_EXISTS: already known', 'accepted'],
    ['transaction already imported', 'accepted'],
    ['nonce too low: next nonce 5, tx nonce 4', 'nonce_taken'],
    ['OldNonce', 'nonce_taken'],
    ['replacement transaction underpriced', 'fees_too_low'],
    ['transaction underpriced: tip needed 1, tip permitted 0', 'fees_too_low'],
    ['max fee per gas less than block base fee: address 0x, maxFeePerGas: 1, baseFee: 2', 'fees_too_low'],
    ['insufficient funds for gas * price + value: have 0 want 1', 'cannot_pay_gas'],
    ['Insufficient funds for gas * price + value', 'cannot_pay_gas'],
    // Deterministic: no node will ever take it.
    ['exceeds block gas limit', 'rejected'],
    ['intrinsic gas too low: have 21000, want 60000', 'rejected'],
    ['intrinsic gas too high -- tx.gas_limit > env.block.gas_limit', 'rejected'],
    ['intrinsic gas too high -- CallerGasLimitMoreThanBlock', 'rejected'],
    ['caller gas limit exceeds the block gas limit', 'rejected'],
    ['transaction gas limit too high (cap: 16777216, tx: 30000000)', 'rejected'],
    ['transaction gas limit (30000000) is greater than the cap (16777216)', 'rejected'],
    ['GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000.', 'rejected'],
    ['TxGasLimitCapExceeded: Gas limit 30000000 exceeds cap 16777216.', 'rejected'],
    ['insufficient gas for floor data gas cost: have 100, want 200', 'rejected'],
    ['tx fee (1.20 ether) exceeds the configured cap (1.00 ether)', 'rejected'],
    ['oversized data: transaction size 131100, limit 131072', 'rejected'],
    ['invalid chain id for signer: have 8453 want 1', 'rejected'],
    ['max priority fee per gas higher than max fee per gas', 'rejected'],
    ['sender not an eoa: address 0x, codehash: 0x', 'rejected'],
    ['txpool is full', 'unsure'],
    ['daily request limit exceeded', 'unsure'],
    ['Internal error', 'unsure'],
    ['upstream request timeout', 'unsure'],
  ])('reads “%s”', (message, verdict) => {
    const error = new RpcRequestError({ body: {}, error: { code: -32000, message }, url: 'http://127.0.0.1' })
    expect(sendVerdict(error)).toBe(verdict)
  })

  it('is unsure of an answer that never came', () => {
    expect(sendVerdict(new TimeoutError({ body: {}, url: 'http://127.0.0.1' }))).toBe('unsure')
    expect(sendVerdict(new Error('socket hang up'))).toBe('unsure')
  })
})

describe('raiseFees', () => {
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): Fees => ({ maxFeePerGas, maxPriorityFeePerGas })

  it('offers more than a tenth more of both, and never less than the market', () => {
    expect(raiseFees(fees(100n, 8n), fees(50n, 1n), 1000n)).toEqual(fees(126n, 11n))
    expect(raiseFees(fees(100n, 8n), fees(300n, 20n), 1000n)).toEqual(fees(300n, 20n))
    expect(raiseFees(fees(0n, 0n), fees(0n, 0n), 1000n)).toEqual(fees(1n, 1n))
  })

  it('stops at the ceiling, and a tip never passes the fee', () => {
    expect(raiseFees(fees(900n, 890n), fees(0n, 0n), 1000n)).toEqual(fees(1000n, 1000n))
  })
})
