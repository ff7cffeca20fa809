// Money is integer atomic USDC (6 decimals) in bigint. Decimal text exists only at the edge.

export const USDC_DECIMALS = 6
const ATOMIC_PER_USDC = 10n ** BigInt(USDC_DECIMALS)

/** Decimal USDC without trailing zeros: 2000n is "0.002", 1000000n is "1". */
export function formatUsdc(amountAtomic: bigint): string {
  const sign = amountAtomic < 0n ? '-' : ''
  const absolute = amountAtomic < 0n ? -amountAtomic : amountAtomic
  const fraction = (absolute % ATOMIC_PER_USDC).toString().padStart(USDC_DECIMALS, '0').replace(/0+$/, '')
  const whole = (absolute / ATOMIC_PER_USDC).toString()
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`
}

/** Reads a decimal USDC amount of at most six decimals exactly; undefined when it is not one. */
export function parseUsdc(decimal: string): bigint | undefined {
  const match = /^(\d{1,30})(?:\.(\d{1,6}))?$/.exec(decimal)
  if (match === null) return undefined
  return BigInt(match[1] ?? '0') * ATOMIC_PER_USDC + BigInt((match[2] ?? '').padEnd(USDC_DECIMALS, '0'))
}
