import { type KeyContext, type KeyProvider, KeyRefused } from './key-provider.ts'
import type { Keyring } from './keyring.ts'
import { open, SealBroken, seal } from './seal.ts'

/** Wraps with keys from the operator's configuration: the first of the ring wraps, the others still unwrap (rotation). */
export function localKeyProvider(keyring: Keyring): KeyProvider {
  return {
    wrap: async (dataKey, context) => seal(keyring, dataKey, boundTo(context)).toString('base64url'),
    async unwrap(wrapped, context) {
      try {
        return open(keyring, Buffer.from(wrapped, 'base64url'), boundTo(context))
      } catch (error) {
        throw error instanceof SealBroken ? new KeyRefused('the data key does not open', { cause: error }) : error
      }
    },
  }
}

function boundTo(context: KeyContext): string {
  const entries = Object.entries(context).sort(([one], [other]) => (one < other ? -1 : 1))
  return `turnpike:data-key:${JSON.stringify(entries)}`
}
