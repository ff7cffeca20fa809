import ipaddr from 'ipaddr.js'

/** Addresses that look public and answer inside a cloud: Azure's platform channel. Those of the others are in refused ranges. */
const CLOUD_INTERNAL = new Set(['168.63.129.16'])
/** All that is handed out for use on the Internet: everything else (compatible, mapped, translated, local) is a disguise or a mistake. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an IP address may be called on behalf of a stranger. Only plain unicast addresses of the public Internet: not private, loopback,
 * link-local (metadata services), carrier-grade NAT, multicast, reserved or documentation ranges, and no IPv6 address that carries
 * another address inside (mapped, NAT64, 6to4, Teredo, ISATAP).
 */
export function isPublicAddress(address: string): boolean {
  // The strict form only: other spellings of IPv4 (octal, hexadecimal, fewer parts) are nothing that a resolver answers.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return !CLOUD_INTERNAL.has(address) && ipaddr.IPv4.parse(address).range() === 'unicast'
  }
  if (!ipaddr.IPv6.isValid(address)) return false
  const parsed = ipaddr.IPv6.parse(address)
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST) && !isIsatap(parsed)
}

/** ISATAP puts an IPv4 address behind 5efe in the interface part of any prefix. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x200) && parts[5] === 0x5efe
}
