import { DecryptCommand, EncryptCommand, KMSClient, type KMSClientConfig, KMSServiceException } from '@aws-sdk/client-kms'
import { type KeyContext, type KeyProvider, KeyRefused } from '@turnpike/sealing'
import { CONNECT_TIMEOUT_MS } from '../s3-client.ts'

export type KmsKeyOptions = {
  /** The first wraps; what any of them wrapped is unwrapped. */
  keyArns: readonly string[]
  endpoint?: string | undefined
  /** Left out, they come from the SDK's own chain (instance or pod roles). */
  credentials?: { accessKeyId: string; secretAccessKey: string }
}

const REQUEST_TIMEOUT_MS = 5_000
const KEY_ARN = /^arn:aws[a-z-]*:kms:([a-z0-9-]+):\d{12}:key\/[A-Za-z0-9-]+$/

// The text will not open again, or not by us: the key is deleted, disabled, or taken from this role.
const FOR_GOOD = new Set([
  'InvalidCiphertextException',
  'IncorrectKeyException',
  'NotFoundException',
  'DisabledException',
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  'AccessDeniedException',
])

/** Wraps with AWS KMS: the key itself never leaves it, and the context is part of what it authenticates. Throws RangeError for no ARN. */
export function openKmsKeyProvider({ keyArns, endpoint, credentials }: KmsKeyOptions): KeyProvider & { close(): void } {
  const [active] = keyArns
  const region = KEY_ARN.exec(active ?? '')?.[1]
  if (active === undefined || region === undefined || !keyArns.every((arn) => KEY_ARN.test(arn))) {
    throw new RangeError('a KMS key is named by its ARN, arn:aws:kms:<region>:<account>:key/<id>')
  }
  const config: KMSClientConfig = {
    region,
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  }
  if (endpoint !== undefined) config.endpoint = endpoint
  if (credentials !== undefined) config.credentials = credentials
  const client = new KMSClient(config)
  return {
    async wrap(dataKey, context) {
      const command = new EncryptCommand({ KeyId: active, Plaintext: dataKey, EncryptionContext: { ...context } })
      const { CiphertextBlob } = await client.send(command)
      if (CiphertextBlob === undefined) throw new Error('KMS answered without a ciphertext')
      return Buffer.from(CiphertextBlob).toString('base64url')
    },
    unwrap: async (wrapped, context) => await unwrap(client, keyArns, wrapped, context),
    close: () => client.destroy(),
  }
}

async function unwrap(client: KMSClient, keyArns: readonly string[], wrapped: string, context: KeyContext): Promise<Buffer> {
  const CiphertextBlob = Buffer.from(wrapped, 'base64url')
  // KMS calls an empty blob a malformed request.
  if (CiphertextBlob.length === 0) throw new KeyRefused('no wrapped key')
  // The blob names its key. Not named here, so that keys that were rotated out still unwrap; whether it is one of ours is looked at after.
  const command = new DecryptCommand({ CiphertextBlob, EncryptionContext: { ...context } })
  const { Plaintext, KeyId } = await client.send(command).catch((error: unknown) => {
    if (error instanceof KMSServiceException && FOR_GOOD.has(error.name)) throw new KeyRefused('KMS refuses', { cause: error })
    throw error
  })
  if (Plaintext === undefined) throw new Error('KMS answered without a plaintext')
  if (KeyId === undefined || !keyArns.includes(KeyId)) throw new KeyRefused('wrapped with a key that is not configured')
  return Buffer.from(Plaintext)
}
