import { openKeyring, openTokenKeys } from '@turnpike/sealing'
import {
  bearerTokens,
  type Config,
  ConfigError,
  certificates,
  integer,
  list,
  oneOf,
  optional,
  parsedBy,
  port,
  S3_VARIABLES,
  text,
  url,
} from '@turnpike/service'

/** The environment of the auditor: the only place that names it. */
export const CONFIG = {
  host: text('HOST', { default: '127.0.0.1' }),
  /** Needed with --every only. */
  internalPort: optional(port('INTERNAL_PORT')),
  logFormat: oneOf('LOG_FORMAT', ['json', 'pretty'], { default: 'json' }),
  logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], { default: 'info' }),
  /** The public address, or those of the replicas. */
  gatewayUrls: list('GATEWAY_URL'),
  ledgerUrls: list('LEDGER_URL'),
  /** The only authority that is trusted for an https ledger; the public ones when unset. */
  ledgerTlsCa: optional(certificates('LEDGER_TLS_CA')),
  /** One of the two: the ledger's own token for whoever only reads, or, where it has none, the gateway's. */
  auditToken: optional(bearerTokens('AUDIT_TOKEN')),
  internalToken: optional(bearerTokens('INTERNAL_TOKEN')),
  receiptTokenKeys: parsedBy('RECEIPT_TOKEN_KEYS', openTokenKeys),
  contentKeys: parsedBy('CONTENT_KEYS', openKeyring),
  ...S3_VARIABLES,
  /** A node that is not the ledger's own sees what the ledger's hides. */
  chainRpcUrl: url('CHAIN_RPC_URL', { protocols: ['http:', 'https:'] }),
  chainTimeoutMs: integer('CHAIN_TIMEOUT_MS', { default: 10_000, min: 100 }),
  /** Blocks per eth_getLogs; public endpoints refuse long ranges. */
  logRangeBlocks: integer('LOG_RANGE_BLOCKS', { default: 2_000, min: 1 }),
  payTo: text('PAY_TO', { pattern: /^0x[0-9a-fA-F]{40}$/, hint: 'an address' }),
  /** Blocks that hold a transfer or were built on it before it counts; at least what the ledger has. */
  confirmations: integer('CONFIRMATIONS', { default: 1, min: 1, max: 100 }),
  /** Accounts that send transactions for this installation only: what they sent and the ledger does not know is a difference. */
  facilitatorSigners: list('FACILITATOR_SIGNERS', { default: [] }),
  /** The newest confirmed blocks that are audited when no range is asked for. A day of Base. */
  auditBlocks: integer('AUDIT_BLOCKS', { default: 43_200, min: 1 }),
  /** How long the ledger may take to decide what the chain shows. */
  undecidedWaitMs: integer('AUDIT_UNDECIDED_WAIT_MS', { default: 30_000, min: 0 }),
}

/** Throws ConfigError when there is neither token. */
export function ledgerTokenOf({ auditToken, internalToken }: Config<typeof CONFIG>): string {
  const [token] = auditToken ?? internalToken ?? []
  if (token === undefined) throw new ConfigError('auditor', ['AUDIT_TOKEN is not set, nor INTERNAL_TOKEN in its place'])
  return token
}
