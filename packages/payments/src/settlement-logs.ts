import { encodeEventTopics, pad, parseAbi } from 'viem'
import { type Hex, USDC_ADDRESS } from './usdc.ts'

const EVENTS = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])
export const AUTHORIZATION_USED_TOPIC = topicOf('AuthorizationUsed')
export const AUTHORIZATION_CANCELED_TOPIC = topicOf('AuthorizationCanceled')
export const TRANSFER_TOPIC = topicOf('Transfer')

/** A log of a mined transaction, as every client library gives it. */
export interface MinedLog {
  address: string
  topics: readonly string[]
  data: string
  logIndex: number
}

export interface ExpectedTransfer {
  payer: Hex
  nonce: Hex
  payTo: string
  amountAtomic: bigint
}

/** What one transaction did with an authorization. */
export type AuthorizationUse = 'paid' | 'other_transfer' | 'cancelled' | 'untouched'

/**
 * Looks in one transaction's logs for the transfer that this very authorization made.
 *
 * `transferWithAuthorization` emits AuthorizationUsed and, with nothing in between, its Transfer (EIP3009.sol: mark as used,
 * then `_transfer`, no call to anybody else). So the two have adjacent log indexes, and that pairs them surely where one
 * transaction holds fifty transfers, or two of the same payer and amount.
 */
export function useInLogs(logs: readonly MinedLog[], expected: ExpectedTransfer): AuthorizationUse {
  const payer = topicOfAddress(expected.payer)
  const nonce = expected.nonce.toLowerCase()
  const ofToken = logs.filter((log) => log.address.toLowerCase() === USDC_ADDRESS.toLowerCase())
  const touched = ofToken.find((log) => isUseOf(log, payer, nonce))
  if (touched === undefined) return 'untouched'
  if (touched.topics[0]?.toLowerCase() === AUTHORIZATION_CANCELED_TOPIC) return 'cancelled'
  const next = ofToken.find((log) => log.logIndex === touched.logIndex + 1)
  return next !== undefined && isTransfer(next, payer, expected) ? 'paid' : 'other_transfer'
}

export function topicOfAddress(address: string): Hex {
  return pad(address.toLowerCase() as Hex, { size: 32 })
}

function isUseOf(log: MinedLog, payer: Hex, nonce: string): boolean {
  const [event, authorizer, usedNonce] = log.topics
  const isUse = event?.toLowerCase() === AUTHORIZATION_USED_TOPIC || event?.toLowerCase() === AUTHORIZATION_CANCELED_TOPIC
  return isUse && authorizer?.toLowerCase() === payer && usedNonce?.toLowerCase() === nonce
}

function isTransfer(log: MinedLog, payer: Hex, expected: ExpectedTransfer): boolean {
  const [event, from, to] = log.topics
  if (event?.toLowerCase() !== TRANSFER_TOPIC || log.data.length !== 66) return false
  return (
    from?.toLowerCase() === payer &&
    to?.toLowerCase() === topicOfAddress(expected.payTo) &&
    BigInt(log.data) === expected.amountAtomic
  )
}

function topicOf(eventName: 'AuthorizationUsed' | 'AuthorizationCanceled' | 'Transfer'): Hex {
  const [topic] = encodeEventTopics({ abi: EVENTS, eventName })
  if (topic === undefined) throw new Error(`no topic for ${eventName}`)
  return topic
}
