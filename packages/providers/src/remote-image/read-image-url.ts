import { isIP } from 'node:net'

export type ImageAddress = {
  /** For TLS and the Host header: lower case, punycode, without a trailing dot. An IPv6 literal without its brackets. */
  hostname: string
  isLiteral: boolean
  path: string
}

/**
 * Where an image is, or undefined for a URL that is never fetched. The parser of the WHATWG does to hosts what browsers do: decimal,
 * octal, hexadecimal and abbreviated IPv4 and full-width letters come out as what they stand for, so what is checked is what is called.
 */
export function readImageUrl(url: string): ImageAddress | undefined {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.protocol !== 'https:') return undefined
  // Empty is the default, 443.
  if (parsed.port !== '' || parsed.username !== '' || parsed.password !== '') return undefined
  const hostname = parsed.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isLiteral = isIP(hostname) !== 0
  if (!isLiteral && !/^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(hostname)) return undefined
  return { hostname, isLiteral, path: `${parsed.pathname}${parsed.search}` }
}
