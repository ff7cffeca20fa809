import {
  authorizationDigest,
  type Hex,
  isContractVerdict,
  type Payment,
  type PaymentPayload,
  USDC_ADDRESS,
  verifySignatureLocally,
} from '@turnpike/payments'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { encodeFunctionData, isErc6492Signature, type PublicClient, parseErc6492Signature, toHex } from 'viem'
import { revertReason } from './diagnose-failure.ts'
import { isOutOfGas, isUnsignedText } from './estimate-transfer.ts'
import type { SettlementQueue } from './settlement-queue.ts'
import { type TransferOutcome, transferKey } from './transfer.ts'

const ERC1271_VALID = '0x1626ba7e'
const ERC1271_INVALID = '0xffffffff'
/** Stands for "a contract is there": one byte that no contract consists of. */
const ASK_THE_SIGNER: Hex = '0xfe'

export interface OfficialSigner extends FacilitatorEvmSigner {
  /** True when a read failed for want of a node. The official classes then say "invalid signature", which is not the payer's fault. */
  hadNoNode(): boolean
  /** True when the payer's contract ran out of the gas that a transfer may cost. */
  ranOutOfGas(): boolean
  outcome(): TransferOutcome | undefined
  /**
   * What to hand to the official classes. A deployed wallet needs no factory, and they would call the one that it names, with whatever
   * it names, to simulate a deployment.
   */
  payload(): Promise<PaymentPayload>
  /** Lets a receipt be read for a transfer that was settled before. */
  remember(outcome: TransferOutcome): void
}

/**
 * The official classes' hands for one payment: they decide, this reads and sends.
 *
 * A signer of its own for each payment, because they ask for a receipt by its hash alone, and the members of a batch share one.
 * `writeContract` returns when the transfer is mined, under the hash that it was mined with (a replaced one never is); a transfer
 * that failed throws the token's revert text, which they turn into a reason.
 */
export function officialSigner(
  deps: { client: PublicClient; queue: SettlementQueue; addresses: readonly Hex[]; maxTransferGas: bigint },
  payment: Payment,
  onSubmit: () => void = () => {},
): OfficialSigner {
  const { client, queue } = deps
  const payer = payment.authorization.from
  const codes = new Map<string, Promise<Hex | undefined>>()
  let noNode = false
  let outOfGas = false
  let outcome: TransferOutcome | undefined

  return {
    hadNoNode: () => noNode,
    ranOutOfGas: () => outOfGas || outcome?.kind === 'too_much_gas',
    outcome: () => outcome,
    remember(known) {
      outcome = known
    },
    async payload() {
      if (!isErc6492Signature(payment.signature) || isPlain(await readCode(payer).catch(() => undefined))) return payment.payload
      const { signature } = parseErc6492Signature(payment.signature)
      return { ...payment.payload, payload: { ...payment.payload.payload, signature } }
    },

    getAddresses: () => deps.addresses,

    async getCode({ address }) {
      const code = await readCode(address)
      return address.toLowerCase() === payer && isPlain(code) && isKeySignature() ? ASK_THE_SIGNER : code
    },

    // The official class recovers a plain account's key in JavaScript, at about 200 signatures a second. Where code is, it asks the
    // contract instead; so for a plain account it is told to ask, and the native check answers, 50 times as fast and by the token's
    // own rules (no high s, v of 27 or 28).
    async readContract(args) {
      if (args.functionName === 'isValidSignature' && args.address.toLowerCase() === payer && isPlain(await readCode(payer))) {
        const isOfToken = args.args?.[0] === toHex(authorizationDigest(payment.authorization))
        return isOfToken && verifySignatureLocally(payment).kind === 'valid' ? ERC1271_VALID : ERC1271_INVALID
      }
      const isPayersCode = args.functionName === 'isValidSignature' || args.functionName === 'transferWithAuthorization'
      // Read as it would be sent: by the same sender, with no more gas.
      const asSent = isPayersCode ? { account: deps.addresses[0], gas: deps.maxTransferGas } : {}
      return watched(() => client.readContract({ ...args, ...asSent } as Parameters<PublicClient['readContract']>[0]))
    },

    async verifyTypedData() {
      return verifySignatureLocally(payment).kind === 'valid'
    },

    async writeContract({ address, abi, functionName, args, dataSuffix }) {
      if (functionName !== 'transferWithAuthorization' || address.toLowerCase() !== USDC_ADDRESS.toLowerCase()) {
        throw new Error('this facilitator sends transfers of USDC and nothing else')
      }
      const data: Hex = `${encodeFunctionData({ abi, functionName, args: [...args] })}${dataSuffix?.slice(2) ?? ''}`
      const isContractSignature = args.length === 7 || !isPlain(await readCode(payer))
      const { nonce, to, value } = payment.authorization
      onSubmit()
      outcome = await queue.submit({
        payer,
        nonce,
        payTo: to,
        amountAtomic: value,
        data,
        key: transferKey(payment),
        isContractSignature,
      })
      switch (outcome.kind) {
        case 'paid':
        case 'pending':
          return outcome.transaction
        case 'failed':
          throw new Error(outcome.reason)
        case 'too_much_gas':
          throw new Error('more gas than a transfer may cost')
        case 'undecided':
          throw new Error(outcome.why)
      }
    },

    async waitForTransactionReceipt({ hash }) {
      if (outcome?.kind === 'paid' && outcome.transaction === hash) return { status: 'success', logs: outcome.logs }
      // Official for: sent, and nothing known yet. The answer is `settlement_pending`.
      throw new Error('not mined yet')
    },

    async sendTransaction() {
      throw new Error('this facilitator deploys no wallets')
    },
  }

  /** Once per payment: three parties ask, and they must get the same answer. */
  function readCode(address: Hex): Promise<Hex | undefined> {
    const key = address.toLowerCase()
    const known = codes.get(key)
    if (known !== undefined) return known
    const reading = watched(() => client.getCode({ address }))
    codes.set(key, reading)
    return reading
  }

  function isKeySignature(): boolean {
    return payment.signature.length === 2 + 130
  }

  async function watched<Value>(read: () => Promise<Value>): Promise<Value> {
    try {
      return await read()
    } catch (error) {
      if (isOutOfGas(error) || isUnsignedText(revertReason(error) ?? '')) outOfGas = true
      else if (!isContractVerdict(error)) noNode = true
      throw error
    }
  }
}

function isPlain(code: Hex | undefined): boolean {
  return code === undefined || code === '0x'
}
