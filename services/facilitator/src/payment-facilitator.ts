import { type Hex, NETWORK, type Payment, type PaymentRequirements, TRANSFER_GAS_LIMIT_EXCEEDED } from '@turnpike/payments'
import { x402Facilitator } from '@x402/core/facilitator'
import type { SettleResponse, SupportedResponse, VerifyResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import type { PublicClient } from 'viem'
import { type OfficialSigner, officialSigner } from './official-signer.ts'
import type { SettledMemory } from './settled-memory.ts'
import type { SettlementQueue } from './settlement-queue.ts'
import { createSlots } from './slots.ts'
import { transferKey } from './transfer.ts'

export interface PaymentFacilitatorDeps {
  client: PublicClient
  queue: SettlementQueue
  addresses: readonly Hex[]
  settled: SettledMemory
  maxTransferGas: bigint
  verifications: { maxTaken: number; maxWaiting: number }
}

/** `unavailable` and `busy` are our own faults (the node was away, too many came at once) and say nothing about the payment. */
export type Judged<Response> = { kind: 'answer'; response: Response } | { kind: 'unavailable' } | { kind: 'busy' }

export interface PaymentFacilitator {
  verify(payment: Payment, requirements: PaymentRequirements): Promise<Judged<VerifyResponse>>
  settle(payment: Payment, requirements: PaymentRequirements): Promise<Judged<SettleResponse>>
  supported(): SupportedResponse
}

/** The official `x402Facilitator` and `ExactEvmScheme` over our signer. */
export function createPaymentFacilitator(deps: PaymentFacilitatorDeps): PaymentFacilitator {
  /** Copies of a payment that arrive together are one settlement, from its verification on: the official classes have no such guard. */
  const open = new Map<string, Promise<Judged<SettleResponse>>>()
  // Two lines: a flood of payments to verify must not keep those from being settled whose work is done.
  const [verifying, settling] = [createSlots(deps.verifications), createSlots(deps.verifications)]
  return {
    async verify(payment, requirements) {
      const giveBack = await verifying.take()
      if (giveBack === undefined) return { kind: 'busy' }
      return verifyOnce(payment, requirements).finally(giveBack)
    },

    settle(payment, requirements) {
      const key = JSON.stringify([transferKey(payment), requirements, payment.accepted])
      const running = open.get(key)
      if (running !== undefined) return running
      const result = settleOnce(payment, requirements).finally(() => open.delete(key))
      open.set(key, result)
      return result
    },

    supported: () => official(new ExactEvmScheme(readOnlySigner(deps.addresses))).getSupported() as SupportedResponse,
  }

  async function verifyOnce(payment: Payment, requirements: PaymentRequirements): Promise<Judged<VerifyResponse>> {
    const signer = officialSigner(deps, payment)
    const response = await facilitatorOf(signer).verify(await signer.payload(), requirements)
    if (!response.isValid && signer.hadNoNode()) return { kind: 'unavailable' }
    if (!response.isValid && isForWantOfGas(signer, response.invalidReason)) {
      const { payer } = response
      const invalidResponse = {
        isValid: false,
        invalidReason: TRANSFER_GAS_LIMIT_EXCEEDED,
        ...(payer === undefined ? {} : { payer }),
      }
      return { kind: 'answer', response: invalidResponse }
    }
    // The first line is the reason; the others hold the whole call, signature included.
    const invalidMessage = response.invalidMessage?.split('\n')[0]
    return { kind: 'answer', response: { ...response, ...(invalidMessage === undefined ? {} : { invalidMessage }) } }
  }

  async function settleOnce(payment: Payment, requirements: PaymentRequirements): Promise<Judged<SettleResponse>> {
    const giveBack = await settling.take()
    if (giveBack === undefined) return { kind: 'busy' }
    // From its submission on it waits for a block, and the queue has limits of its own.
    return settleWith(officialSigner(deps, payment, giveBack), payment, requirements).finally(giveBack)
  }

  async function settleWith(
    signer: OfficialSigner,
    payment: Payment,
    requirements: PaymentRequirements,
  ): Promise<Judged<SettleResponse>> {
    const earlier = deps.settled.get(transferKey(payment))
    const isSame = earlier !== undefined && paysExactly(payment, requirements)
    if (isSame) signer.remember(earlier)
    const official = facilitatorOf(signer, isSame ? earlier.transaction : undefined)
    const response = await official.settle(await signer.payload(), requirements)
    // Without an outcome nothing was sent.
    if (!response.success && signer.outcome() === undefined && signer.hadNoNode()) return { kind: 'unavailable' }
    if (!response.success && isForWantOfGas(signer, response.errorReason)) {
      const { errorMessage: _, ...rest } = response
      return { kind: 'answer', response: { ...rest, errorReason: TRANSFER_GAS_LIMIT_EXCEEDED, transaction: '' } }
    }
    return { kind: 'answer', response }
  }
}

/**
 * The scheme's store of unfinished settlements is where it looks for "already sent" before it verifies. Unfinished ones are the
 * queue's business (it joins them, and knows the hash after a replacement); finished ones come from `transaction`.
 */
function facilitatorOf(signer: OfficialSigner, transaction?: Hex): x402Facilitator {
  const pendingSettlementStore = { get: async () => transaction, set: async () => {}, delete: async () => {} }
  return official(new ExactEvmScheme(signer, { simulateInSettle: true, pendingSettlementStore }))
}

function official(scheme: ExactEvmScheme): x402Facilitator {
  return new x402Facilitator().register(NETWORK, scheme)
}

/** The official classes have no name for it. Where they found another reason (a used nonce, too little money), that one stands. */
function isForWantOfGas(signer: OfficialSigner, reason: string | undefined): boolean {
  return signer.ranOutOfGas() && (reason === undefined || UNEXPLAINED.has(reason))
}

const UNEXPLAINED: ReadonlySet<string> = new Set([
  'invalid_exact_evm_signature',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_exact_evm_transaction_failed',
])

function readOnlySigner(addresses: readonly Hex[]): ConstructorParameters<typeof ExactEvmScheme>[0] {
  const refuse = async () => {
    throw new Error('not for payments')
  }
  return {
    getAddresses: () => addresses,
    readContract: refuse,
    verifyTypedData: refuse,
    writeContract: refuse,
    sendTransaction: refuse,
    waitForTransactionReceipt: refuse,
    getCode: refuse,
  }
}

function paysExactly({ authorization }: Payment, requirements: PaymentRequirements): boolean {
  return authorization.to === requirements.payTo.toLowerCase() && authorization.value.toString() === requirements.amount
}
