import type { PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types'
import { getAddress } from 'viem'
import { NETWORK, USDC_ADDRESS, USDC_DOMAIN } from './usdc.ts'

export type { PaymentRequired, PaymentRequirements, ResourceInfo }

/**
 * `extra` of an inspection challenge. It travels inside `accepts`, so a payment that was made for one names itself, and
 * `requirementsMismatch` never takes it for a payment of a fixed price.
 */
export const INSPECTION_EXTRA = { challengeKind: 'inspection' } as const

/** The single entry of `accepts`. `payTo` is spelled by EIP-55, because official clients reject other mixed spellings. */
export function paymentRequirements(input: {
  amountAtomic: bigint
  payTo: string
  maxTimeoutSeconds: number
  extra?: Record<string, unknown>
}): PaymentRequirements {
  if (input.amountAtomic <= 0n) throw new RangeError('amountAtomic must be positive')
  return {
    scheme: 'exact',
    network: NETWORK,
    amount: input.amountAtomic.toString(),
    asset: USDC_ADDRESS,
    payTo: getAddress(input.payTo),
    maxTimeoutSeconds: input.maxTimeoutSeconds,
    extra: { name: USDC_DOMAIN.name, version: USDC_DOMAIN.version, ...input.extra },
  }
}

export function paymentRequired(input: {
  requirements: PaymentRequirements
  resource: ResourceInfo
  error?: string
  extensions?: Record<string, unknown>
}): PaymentRequired {
  return {
    x402Version: 2,
    ...(input.error === undefined ? {} : { error: input.error }),
    resource: input.resource,
    accepts: [input.requirements],
    ...(input.extensions === undefined ? {} : { extensions: input.extensions }),
  }
}

export type RequirementsMismatch =
  | 'payment_scheme_mismatch'
  | 'payment_network_mismatch'
  | 'payment_asset_mismatch'
  | 'payment_recipient_mismatch'
  | 'payment_amount_mismatch'
  | 'payment_timeout_mismatch'
  | 'payment_domain_mismatch'
  | 'payment_challenge_kind_mismatch'

/**
 * What of the client's `accepted` differs in meaning from the requirements that were bound; undefined when nothing does.
 * Addresses are compared without case: official servers refuse a lower-cased `payTo`, which is no defect of the payment.
 */
export function requirementsMismatch(
  accepted: PaymentRequirements,
  bound: PaymentRequirements,
): RequirementsMismatch | undefined {
  if (ownText(accepted.extra, 'challengeKind') !== ownText(bound.extra, 'challengeKind')) return 'payment_challenge_kind_mismatch'
  if (accepted.scheme !== bound.scheme) return 'payment_scheme_mismatch'
  if (accepted.network !== bound.network) return 'payment_network_mismatch'
  if (accepted.asset.toLowerCase() !== bound.asset.toLowerCase()) return 'payment_asset_mismatch'
  if (accepted.payTo.toLowerCase() !== bound.payTo.toLowerCase()) return 'payment_recipient_mismatch'
  if (accepted.amount !== bound.amount) return 'payment_amount_mismatch'
  if (accepted.maxTimeoutSeconds !== bound.maxTimeoutSeconds) return 'payment_timeout_mismatch'
  if (ownText(accepted.extra, 'name') !== ownText(bound.extra, 'name')) return 'payment_domain_mismatch'
  if (ownText(accepted.extra, 'version') !== ownText(bound.extra, 'version')) return 'payment_domain_mismatch'
  return undefined
}

/** Own members only: `extra` came from a stranger's JSON, and what it inherits says nothing. */
function ownText(extra: Record<string, unknown> | null | undefined, key: string): string | undefined {
  if (extra === null || extra === undefined || !Object.hasOwn(extra, key)) return undefined
  const value = extra[key]
  return typeof value === 'string' ? value : JSON.stringify(value)
}
