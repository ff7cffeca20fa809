/**
 * What a wrapped key is bound to: it is unwrapped in the same context only. Not secret: a key service writes it into its own log, so it
 * names ids and never a content.
 */
export type KeyContext = Readonly<Record<string, string>>

/** Wraps data keys in a key that only the operator has. */
export type KeyProvider = {
  /** Throws what stands in the way, a key service that is away for example. */
  wrap(dataKey: Uint8Array, context: KeyContext): Promise<string>
  /** Throws KeyRefused where this text will never be unwrapped here, anything else where it may be later. */
  unwrap(wrapped: string, context: KeyContext): Promise<Buffer>
}

/** Altered, bound to something else, or wrapped with a key that this process does not have or may not use. */
export class KeyRefused extends Error {
  override name = 'KeyRefused'
}

const NAME = /^[a-z]+$/

/** The first wraps; all of them unwrap what they wrapped, so that an operator can move from one to another. */
export function keyProviders(providers: ReadonlyMap<string, KeyProvider>): KeyProvider {
  const [active] = providers
  if (active === undefined) throw new RangeError('there is no key provider')
  for (const name of providers.keys()) if (!NAME.test(name)) throw new RangeError('a key provider is named in small letters')
  const [activeName, activeProvider] = active
  return {
    wrap: async (dataKey, context) => `${activeName}.${await activeProvider.wrap(dataKey, context)}`,
    async unwrap(wrapped, context) {
      const end = wrapped.indexOf('.')
      const provider = providers.get(wrapped.slice(0, Math.max(0, end)))
      if (provider === undefined) throw new KeyRefused('wrapped by a provider that is not configured')
      return await provider.unwrap(wrapped.slice(end + 1), context)
    },
  }
}
