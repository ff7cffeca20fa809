import { randomBytes } from 'node:crypto'
import { KeyRefused, openKeyring } from '@turnpike/sealing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openKmsKeyProvider } from './kms-key-provider.ts'
import { openStagingKeys } from './staging-keys.ts'
import { type KmsServer, startKmsServer } from './testing/kms-server.ts'

const arn = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`
const [OLD, NEW, FOREIGN] = [arn('1234abcd'), arn('5678efab'), arn('9999')]
const CONTEXT = { purpose: 'test', job: '1' }
const dataKey = randomBytes(32)

let kms: KmsServer
beforeEach(async () => {
  kms = await startKmsServer([OLD, NEW, FOREIGN])
})
afterEach(() => kms.close())

const open = (...keyArns: string[]) =>
  openKmsKeyProvider({ keyArns, endpoint: kms.endpoint, credentials: { accessKeyId: 'id', secretAccessKey: 'secret' } })

describe('a data key that AWS KMS wraps', () => {
  it('is sent to be encrypted under the configured key in its context, signed for its region, and comes back', async () => {
    const provider = open(OLD)
    const wrapped = await provider.wrap(dataKey, CONTEXT)
    expect(Buffer.from(wrapped, 'base64url').includes(dataKey)).toBe(false)
    expect(await provider.unwrap(wrapped, CONTEXT)).toEqual(dataKey)
    expect(kms.calls).toMatchObject([
      {
        target: 'TrentService.Encrypt',
        authorization: expect.stringContaining('/eu-central-1/kms/aws4_request'),
        body: { KeyId: OLD, Plaintext: dataKey.toString('base64'), EncryptionContext: CONTEXT },
      },
      { target: 'TrentService.Decrypt', body: { EncryptionContext: CONTEXT } },
    ])
  })

  it('unwraps in its own context only, unaltered only', async () => {
    const provider = open(OLD)
    const wrapped = await provider.wrap(dataKey, CONTEXT)
    const altered = Buffer.from(wrapped, 'base64url')
    altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
    await expect(provider.unwrap(wrapped, { ...CONTEXT, job: '2' })).rejects.toBeInstanceOf(KeyRefused)
    await expect(provider.unwrap(altered.toString('base64url'), CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
    await expect(provider.unwrap('', CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
  })

  it('still unwraps after a rotation, and not after its key is gone from the configuration or from KMS', async () => {
    const wrapped = await open(OLD).wrap(dataKey, CONTEXT)
    const rotated = open(NEW, OLD)
    expect(await rotated.unwrap(wrapped, CONTEXT)).toEqual(dataKey)
    await expect(open(NEW).unwrap(wrapped, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
    kms.forgetKey(OLD)
    await expect(rotated.unwrap(wrapped, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
  })

  it('wrapped by a key of somebody else that this role may use is refused', async () => {
    const wrapped = await open(FOREIGN).wrap(dataKey, CONTEXT)
    await expect(open(OLD).unwrap(wrapped, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
  })
})

describe('AWS KMS', () => {
  it.each([
    ['disabled the key', { status: 400, type: 'DisabledException' }],
    ['denies access', { status: 400, type: 'AccessDeniedException' }],
  ])('that %s refuses for good', async (_what, error) => {
    const provider = open(OLD)
    const wrapped = await provider.wrap(dataKey, CONTEXT)
    kms.failWith(error)
    await expect(provider.unwrap(wrapped, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
  })

  it.each([
    ['is overloaded', { status: 400, type: 'ThrottlingException' }],
    ['fails', { status: 500, type: 'KMSInternalException' }],
  ])('that %s may be asked again, and is, three times', async (_what, error) => {
    const provider = open(OLD)
    const wrapped = await provider.wrap(dataKey, CONTEXT)
    kms.failWith(error)
    const failure = await provider.unwrap(wrapped, CONTEXT).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(KeyRefused)
    expect(kms.calls.filter(({ target }) => target === 'TrentService.Decrypt')).toHaveLength(3)
    kms.failWith(undefined)
    expect(await provider.unwrap(wrapped, CONTEXT)).toEqual(dataKey)
  })

  it('is named by whole ARNs', () => {
    for (const names of [[], ['alias/turnpike'], [OLD, '1234abcd']]) expect(() => open(...names)).toThrow(RangeError)
  })
})

it('an operator that moves to KMS still opens what the local key wrapped; with no key at all there is no staging', async () => {
  const keyring = openKeyring(`k1:${randomBytes(32).toString('base64')}`)
  const before = openStagingKeys({ keyring, kmsKeys: [], kmsEndpoint: undefined })
  const after = openStagingKeys({ keyring, kmsKeys: [NEW], kmsEndpoint: kms.endpoint })
  const wrapped = (await before?.provider.wrap(dataKey, CONTEXT)) ?? ''
  expect(await after?.provider.unwrap(wrapped, CONTEXT)).toEqual(dataKey)
  expect(kms.calls).toEqual([])
  after?.close()
  expect(openStagingKeys({ keyring: undefined, kmsKeys: [], kmsEndpoint: undefined })).toBeUndefined()
})
