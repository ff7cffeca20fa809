import { atomicUsdc, type Config, integer, optional, secret, text, url } from '@turnpike/service'

/** The one place that names this program's environment variables. */
export const PAID_CHECK_CONFIG = {
  gatewayUrl: url('GATEWAY_URL', { protocols: ['http:', 'https:'] }),
  /** Who must be paid: a gateway that asks for somebody else's money is not ours. */
  payTo: text('PAY_TO', { pattern: /^0x[0-9a-fA-F]{40}$/, hint: 'an address of 0x and 40 hex digits' }),
  /** Holds a little USDC. Unset, nothing is paid. */
  walletKey: optional(secret('WALLET_PRIVATE_KEY')),
  model: text('PAID_CHECK_MODEL', { default: 'gm-2.5-flash-lite' }),
  /** It refuses to pay more. */
  maxAmountAtomic: atomicUsdc('PAID_CHECK_MAX_AMOUNT_ATOMIC', { default: 10_000n }),
  timeoutMs: integer('PAID_CHECK_TIMEOUT_MS', { default: 120_000, min: 1_000, max: 900_000 }),
}
export type PaidCheckConfig = Config<typeof PAID_CHECK_CONFIG>
