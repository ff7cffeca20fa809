import { BaseError } from 'viem'

/**
 * What may be logged of a failed RPC. viem's messages hold the request, and with it signatures that nobody has settled yet; the
 * node's own words do not; a long number or an address of the network (it may hold a key) is cut out of them anyway. Not for the
 * field `error`: that one is for errors, and would make of these words the type of a string.
 */
export function describeRpcError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const words = error instanceof BaseError ? (error.details ?? '') : error.message
  return `${error.name}: ${withoutSecrets(words)}`
}

function withoutSecrets(words: string): string {
  return words
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[url]')
    .replace(/(?:0x)?[0-9a-fA-F]{16,}/g, '0x…')
    .slice(0, 200)
}
