import { randomBytes } from 'node:crypto'
import { connectChain, type Stack } from '@turnpike/local'
import { type Hex, USDC_ADDRESS, USDC_DOMAIN } from '@turnpike/payments'
import type { TestWallet } from '@turnpike/testing'
import { encodeFunctionData, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const TOKEN = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
])
const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const CANCEL_TYPES = {
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export type Terms = { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex }
/** The content of a PAYMENT-SIGNATURE header. */
export type Payload = {
  x402Version: number
  accepted: Record<string, unknown>
  payload: { signature: Hex; authorization: Terms } & Record<string, unknown>
} & Record<string, unknown>

export function readPayload(header: string): Payload {
  return JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as Payload
}

export function writePayload(payload: unknown): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

/** The same header with something else in it. */
export function altered(header: string, change: (payload: Payload) => void): string {
  const payload = readPayload(header)
  change(payload)
  return writePayload(payload)
}

/** The same header with other terms, signed by the wallet as it should be. */
export async function resigned(wallet: TestWallet, header: string, terms: Partial<Terms>): Promise<string> {
  const payload = readPayload(header)
  const authorization = { ...payload.payload.authorization, ...terms }
  return writePayload({ ...payload, payload: { authorization, signature: await signTerms(wallet, authorization) } })
}

export function signTerms(wallet: TestWallet, { from, to, value, validAfter, validBefore, nonce }: Terms): Promise<Hex> {
  return privateKeyToAccount(wallet.privateKey).signTypedData({
    domain: USDC_DOMAIN,
    types: TRANSFER_TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      from,
      to,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce,
    },
  })
}

/** A stranger sends this very payment to the chain. */
export function sendAsStranger(stack: Stack, header: string): Promise<Hex> {
  const { authorization, signature } = readPayload(header).payload
  return send(stack, transferCall(authorization, signature))
}

/** The payer uses the nonce of this payment to pay itself. */
export async function payItself(stack: Stack, wallet: TestWallet, header: string): Promise<Hex> {
  const terms = { ...readPayload(header).payload.authorization, to: wallet.address }
  return send(stack, transferCall(terms, await signTerms(wallet, terms)))
}

export async function cancel(stack: Stack, wallet: TestWallet, header: string): Promise<Hex> {
  const { nonce } = readPayload(header).payload.authorization
  const signature = await privateKeyToAccount(wallet.privateKey).signTypedData({
    domain: USDC_DOMAIN,
    types: CANCEL_TYPES,
    primaryType: 'CancelAuthorization',
    message: { authorizer: wallet.address, nonce },
  })
  return send(
    stack,
    encodeFunctionData({ abi: TOKEN, functionName: 'cancelAuthorization', args: [wallet.address, nonce, signature] }),
  )
}

/** The wallet moves that much away with an ordinary transfer. */
export function moveAway(stack: Stack, wallet: TestWallet, amountAtomic: bigint): Promise<Hex> {
  const elsewhere: Hex = `0x${randomBytes(20).toString('hex')}`
  return send(
    stack,
    encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args: [elsewhere, amountAtomic] }),
    wallet.privateKey,
  )
}

function transferCall(terms: Terms, signature: Hex): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = terms
  return encodeFunctionData({
    abi: TOKEN,
    functionName: 'transferWithAuthorization',
    args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  })
}

/** Resolves when the transaction is mined; throws when it was reverted. */
async function send(stack: Stack, data: Hex, privateKey: Hex = generatePrivateKey()): Promise<Hex> {
  const chain = connectChain(stack.chain.rpcUrl)
  const account = privateKeyToAccount(privateKey)
  await chain.setBalance({ address: account.address, value: 10n ** 18n })
  const hash = await chain.sendTransaction({ account, chain: null, to: USDC_ADDRESS, data })
  const receipt = await chain.waitForTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error(`the transaction ${hash} was reverted`)
  return hash
}
