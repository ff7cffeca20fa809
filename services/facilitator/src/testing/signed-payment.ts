import { randomBytes } from 'node:crypto'
import { type Hex, type PaymentPayload, type PaymentRequirements, paymentRequirements, USDC_DOMAIN } from '@turnpike/payments'
import { authorizationTypes } from '@x402/evm'
import { encodeFunctionData, parseAbi } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'

const TOKEN = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])

export const PAY_TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const PRICE = 2000n

export interface SignedPayment {
  payload: PaymentPayload
  requirements: PaymentRequirements
  payer: Hex
  nonce: Hex
}

interface Terms {
  to?: Hex
  value?: bigint
  nonce?: Hex
  validBefore?: number
  /** Instead of the payer's own. */
  signature?: Hex
}

export async function signPayment(payer: PrivateKeyAccount, terms: Terms = {}): Promise<SignedPayment> {
  const requirements = paymentRequirements({ amountAtomic: PRICE, payTo: PAY_TO, maxTimeoutSeconds: 300 })
  const authorization = {
    from: payer.address,
    to: terms.to ?? PAY_TO,
    value: (terms.value ?? PRICE).toString(),
    validAfter: '0',
    validBefore: (terms.validBefore ?? Math.floor(Date.now() / 1000) + 600).toString(),
    nonce: terms.nonce ?? randomNonce(),
  } as const
  const signature = terms.signature ?? (await sign(payer, authorization))
  return {
    payload: { x402Version: 2, accepted: requirements, payload: { authorization, signature } },
    requirements,
    payer: payer.address.toLowerCase() as Hex,
    nonce: authorization.nonce,
  }
}

/** Calldata with which anybody can use that authorization, whatever it says. */
export async function transferCall(payer: PrivateKeyAccount, nonce: Hex, to: Hex): Promise<Hex> {
  const validBefore = Math.floor(Date.now() / 1000) + 600
  const authorization = {
    from: payer.address,
    to,
    value: PRICE.toString(),
    validAfter: '0',
    validBefore: validBefore.toString(),
    nonce,
  }
  const signature = await sign(payer, authorization)
  const args = [payer.address, to, PRICE, 0n, BigInt(validBefore), nonce, signature] as const
  return encodeFunctionData({ abi: TOKEN, functionName: 'transferWithAuthorization', args })
}

export async function cancelCall(payer: PrivateKeyAccount, nonce: Hex): Promise<Hex> {
  const signature = await payer.signTypedData({
    domain: USDC_DOMAIN,
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: payer.address, nonce },
  })
  return encodeFunctionData({ abi: TOKEN, functionName: 'cancelAuthorization', args: [payer.address, nonce, signature] })
}

export function randomNonce(): Hex {
  return `0x${randomBytes(32).toString('hex')}`
}

async function sign(
  payer: PrivateKeyAccount,
  authorization: { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex },
): Promise<Hex> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return payer.signTypedData({
    domain: USDC_DOMAIN,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { from, to, value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
  })
}
