import {
  bearerTokens,
  type Config,
  ConfigError,
  integer,
  oneOf,
  optional,
  parsedBy,
  port,
  SERVER_VARIABLES,
  text,
  url,
} from '@turnpike/service'
import type { Hex } from 'viem'

/** The one place that names the facilitator's environment variables. */
export const FacilitatorConfig = {
  host: text('HOST', { default: '127.0.0.1' }),
  port: port('PORT'),
  internalPort: port('INTERNAL_PORT'),
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  chainRpcUrl: url('CHAIN_RPC_URL', { protocols: ['http:', 'https:'] }),
  chainRpcTimeoutMs: integer('CHAIN_RPC_TIMEOUT_MS', { default: 5_000, min: 100 }),
  /** One key, or several separated by commas: each account settles one batch at a time. They hold gas money and no customer's. */
  signerPrivateKeys: parsedBy('SIGNER_PRIVATE_KEY', parsePrivateKeys),
  /** The only recipients of transfers that it pays gas for, separated by commas; any recipient when unset. */
  payTo: optional(parsedBy('PAY_TO', parseRecipients)),
  /** Who does not send it as a bearer token is not answered. */
  token: optional(bearerTokens('FACILITATOR_TOKEN')),
  ...SERVER_VARIABLES,
  maxBatch: integer('MAX_BATCH', { default: 50, min: 1, max: 100 }),
  /**
   * What a transfer may cost at most. A plain account's takes 86k; Safe and Coinbase wallets stay under 200k. A wallet that needs more
   * is refused: its owner decides what its check burns, and the operator would pay for it. The upper end is EIP-7825's.
   */
  maxTransferGas: integer('MAX_TRANSFER_GAS', { default: 300_000, min: 150_000, max: 16_777_216 }),
  /** How many payments are checked at the same time, for /verify and for /settle each; about five reads of the node for each. */
  maxVerifying: integer('MAX_VERIFYING', { default: 64, min: 1, max: 1_000 }),
  /** How many more may wait for that; who comes then is answered 503. */
  maxWaitingVerifications: integer('MAX_WAITING_VERIFICATIONS', { default: 1_000, min: 0 }),
  maxWaiting: integer('MAX_WAITING_SETTLEMENTS', { default: 5_000, min: 1 }),
  /** A settlement that is not mined by then is answered with `settlement_pending`; it goes on. */
  answerTimeoutMs: integer('SETTLE_ANSWER_TIMEOUT_MS', { default: 45_000, min: 1_000 }),
  /** A transaction that is not mined by then is sent again with higher fees. Base makes a block every two seconds. */
  stuckAfterMs: integer('STUCK_AFTER_MS', { default: 12_000, min: 100 }),
  /** Fees never rise above this, whatever the chain asks for. */
  maxFeePerGasGwei: integer('MAX_FEE_PER_GAS_GWEI', { default: 20, min: 1, max: 10_000 }),
  shutdownGraceMs: integer('SHUTDOWN_GRACE_MS', { default: 60_000, min: 1_000 }),
}

export type FacilitatorSettings = Config<typeof FacilitatorConfig>

/**
 * Everybody who reaches a facilitator spends its gas: on transfers of their own where it serves any recipient, and otherwise on transfers
 * to the seller for which the seller has sold nothing.
 */
export function refuseOpenHouse({ host, token }: Pick<FacilitatorSettings, 'host' | 'token'>): void {
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  if (!isLocal && token === undefined)
    throw new ConfigError('facilitator', [`HOST ${host} can be reached from elsewhere: set FACILITATOR_TOKEN`])
}

function parseRecipients(value: string): readonly string[] {
  const recipients = value.split(',').map((recipient) => recipient.trim().toLowerCase())
  if (recipients.some((recipient) => !/^0x[0-9a-f]{40}$/.test(recipient))) throw new Error('each recipient is an address')
  return recipients
}

function parsePrivateKeys(value: string): readonly Hex[] {
  const keys = value.split(',').map((key) => key.trim())
  if (keys.some((key) => !isPrivateKey(key))) throw new Error('each key is 0x and 64 hexadecimal digits')
  return keys.filter(isPrivateKey)
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}
