/**
 * The answers of a facilitator after which the transfer was provably not sent, by the source of the official one
 * (@x402/evm 2.27.0, exact/facilitator). `settle` verifies first and returns these before it calls `writeContract`.
 *
 * `blame` says whose fault it is: `payer` may be answered with a 402 and a fresh challenge; `operator` (configuration, RPC,
 * gas) is never the payer's to mend.
 */
export interface RefusalReason {
  blame: 'payer' | 'operator'
  why: string
}

/** Not the official one's: our own facilitator pays for a transfer up to a limit, and what a wallet's check burns is its owner's doing. */
export const TRANSFER_GAS_LIMIT_EXCEEDED = 'transfer_gas_limit_exceeded'

const REFUSALS: Readonly<Record<string, RefusalReason>> = {
  invalid_exact_evm_insufficient_balance: {
    blame: 'payer',
    why: 'the simulation failed and the balance read then was too small',
  },
  invalid_exact_evm_signature: {
    blame: 'payer',
    why: 'checked before sending; a failed read of the payer’s code ends here as well',
  },
  invalid_exact_evm_payload_authorization_valid_before: { blame: 'payer', why: 'fewer than 6 s were left when it was checked' },
  invalid_exact_evm_payload_authorization_valid_after: { blame: 'payer', why: 'not valid yet when it was checked' },
  eip6492_factory_not_allowed: { blame: 'payer', why: 'an undeployed wallet whose factory this facilitator does not call' },
  smart_wallet_deployment_failed: { blame: 'payer', why: 'the wallet’s deployment reverted; the transfer is sent after it' },
  invalid_exact_evm_failed_to_parse_signature: { blame: 'payer', why: 'no signature to send' },
  [TRANSFER_GAS_LIMIT_EXCEEDED]: { blame: 'payer', why: 'estimated under the limit, and sent only when it fits' },
  invalid_exact_evm_scheme: { blame: 'operator', why: 'first check of all; the gateway bound another scheme' },
  invalid_exact_evm_missing_eip712_domain: { blame: 'operator', why: 'our requirements lack the token’s name or version' },
  invalid_exact_evm_network_mismatch: { blame: 'operator', why: 'our requirements name another network' },
  invalid_exact_evm_recipient_mismatch: { blame: 'operator', why: 'the gateway admits no other recipient' },
  invalid_exact_evm_payload_authorization_value_mismatch: { blame: 'operator', why: 'the gateway admits no other amount' },
  asset_not_deployed_contract: { blame: 'operator', why: 'the facilitator’s chain has no token at our address' },
  invalid_exact_evm_token_name_mismatch: { blame: 'operator', why: 'our requirements name another token' },
  invalid_exact_evm_token_version_mismatch: { blame: 'operator', why: 'our requirements name another version' },
  invalid_exact_evm_eip3009_not_supported: { blame: 'operator', why: 'the token has no authorizations there' },
  invalid_exact_evm_transaction_simulation_failed: { blame: 'operator', why: 'also what a failing RPC looks like' },
}

/**
 * Reasons that are left out on purpose, because a transfer may exist:
 * - `invalid_exact_evm_nonce_already_used`: by an earlier attempt of ours or by a front-runner who paid us. Ask the chain.
 * - `invalid_exact_evm_transaction_failed`: everything that went wrong while sending, a lost answer of the RPC included.
 * - `invalid_exact_evm_transfer_event_mismatch`, `settlement_pending`, `invalid_transaction_state`: it was sent.
 */
export function refusalReason(reason: string): RefusalReason | undefined {
  return Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason] : undefined
}

/**
 * Reasons that only a verification gives a clear meaning: nothing was sent by it. The specification's own names are those of other
 * facilitators.
 */
const PAYERS_AT_VERIFICATION: ReadonlySet<string> = new Set([
  'invalid_exact_evm_nonce_already_used',
  'insufficient_funds',
  'invalid_exact_evm_payload_signature',
  'invalid_payload',
  'unsupported_payload_type',
])

/** Whose fault a rejected verification is. A reason that nobody knows is not held against the payer: a 402 makes it sign again. */
export function blameOfRejection(reason: string): 'payer' | 'operator' {
  return PAYERS_AT_VERIFICATION.has(reason) ? 'payer' : (refusalReason(reason)?.blame ?? 'operator')
}

/** Exported for tests: the names in the table. */
export const REFUSAL_REASONS: readonly string[] = Object.keys(REFUSALS)

/**
 * The official facilitator reuses some reasons for errors while sending, told by patterns over the error's text; then it adds an
 * `errorMessage`, which it never does before. A pattern can be fooled (a node's "insufficient funds for gas … balance 0" becomes
 * the payer's `insufficient_balance`), so such an answer counts only with the token's own revert text: that comes from an
 * estimate, before sending, or from a mined call that failed, never from a transaction whose fate is open.
 */
export function isRevertOfToken(errorMessage: string): boolean {
  return TOKEN_REVERTS.some((text) => errorMessage.includes(text))
}

// "authorization is used or canceled" is missing here for the same reason as nonce_already_used above.
const TOKEN_REVERTS = [
  'ERC20: transfer amount exceeds balance',
  'FiatTokenV2: invalid signature',
  'FiatTokenV2: authorization is expired',
  'FiatTokenV2: authorization is not yet valid',
  'Blacklistable: account is blacklisted',
  'Pausable: paused',
  'ECRecover: invalid signature',
]
