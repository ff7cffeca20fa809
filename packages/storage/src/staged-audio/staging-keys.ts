import { randomBytes } from 'node:crypto'
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
  /** Whether a key can be wrapped now, found out by wrapping one for nothing. A key service logs each such call. */
  answers(): Promise<boolean>
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
  const provider = keyProviders(providers)
  return {
    provider,
    // A key of our own is always there.
    answers: async () => kms === undefined || (await wraps(provider)),
    close: () => kms?.close(),
  }
}

async function wraps(provider: KeyProvider): Promise<boolean> {
  try {
    await provider.wrap(randomBytes(DATA_KEY_BYTES), PROBE)
    return true
  } catch {
    return false
  }
}

const DATA_KEY_BYTES = 32
const PROBE = { purpose: 'probe' }
