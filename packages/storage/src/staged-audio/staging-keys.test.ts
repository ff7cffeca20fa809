import { openKeyring } from '@turnpike/sealing'
import { afterEach, expect, it, vi } from 'vitest'
import { openStagingKeys } from './staging-keys.ts'
import { startKmsServer } from './testing/kms-server.ts'

const ARN = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'

afterEach(() => vi.unstubAllEnvs())

it('answer when the key service wraps, and not when it is away, refuses, or has lost the key', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  const kms = await startKmsServer([ARN])
  const keys = openStagingKeys({ keyring: undefined, kmsKeys: [ARN], kmsEndpoint: kms.endpoint })
  expect(await keys?.answers()).toBe(true)
  expect(kms.calls.map(({ target, body }) => [target, body.EncryptionContext])).toEqual([
    ['TrentService.Encrypt', { purpose: 'probe' }],
  ])
  kms.failWith({ status: 400, type: 'AccessDeniedException' })
  expect(await keys?.answers()).toBe(false)
  kms.failWith(undefined)
  expect(await keys?.answers()).toBe(true)
  kms.forgetKey(ARN)
  expect(await keys?.answers()).toBe(false)
  await kms.close()
  expect(await keys?.answers()).toBe(false)
  keys?.close()
})

it('of the operator’s own always answer', async () => {
  const keyring = openKeyring(`staging-1:${Buffer.alloc(32, 1).toString('base64')}`)
  const keys = openStagingKeys({ keyring, kmsKeys: [], kmsEndpoint: undefined })
  expect(await keys?.answers()).toBe(true)
  expect(openStagingKeys({ keyring: undefined, kmsKeys: [], kmsEndpoint: undefined })).toBeUndefined()
})
