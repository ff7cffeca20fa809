import { type KeyProvider, type Keyring, keyProviders, localKeyProvider } from '@turnpike/sealing'
import { openKmsKeyProvider } from './kms-key-provider.ts'

export type StagingKeyOptions = {
  keyring: Keyring | undefined
  /** ARNs of AWS KMS keys; the first wraps, the others still unwrap. */
  kmsKeys: readonly string[]
  /** Another address than that of the key's region: a VPC endpoint. */
  kmsEndpoint: string | undefined
}

export type OpenStagingKeys = {
  provider: KeyProvider
  close(): void
}

/** The operator's wrapping keys; undefined when none is configured. With both, AWS KMS wraps and the local keys only unwrap. */
export function openStagingKeys(options: StagingKeyOptions): OpenStagingKeys | undefined {
  const { keyring, kmsKeys, kmsEndpoint } = options
  const providers = new Map<string, KeyProvider>()
  const kms = kmsKeys.length === 0 ? undefined : openKmsKeyProvider({ keyArns: kmsKeys, endpoint: kmsEndpoint })
  if (kms !== undefined) providers.set('kms', kms)
  if (keyring !== undefined) providers.set('local', localKeyProvider(keyring))
  if (providers.size === 0) return undefined
  return { provider: keyProviders(providers), close: () => kms?.close() }
}
