import { openKeyring } from '@turnpike/sealing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SampleEnd, type SampleKey, sampleKey } from './sample-key.ts'
import type { StagingKeys } from './staged-audio.ts'
import { openStagingKeys } from './staging-keys.ts'
import { type KmsServer, startKmsServer } from './testing/kms-server.ts'

const ARN = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'
const NO_RIGHT = { status: 400, type: 'AccessDeniedException' } as const

let kms: KmsServer
let kept: Map<string, { value: string; untilMs: number }>
let keys: StagingKeys
let stager: SampleKey
let opener: SampleKey

function withKms(): SampleKey {
  const wrapping = openStagingKeys({ keyring: undefined, kmsKeys: [ARN], kmsEndpoint: kms.endpoint })
  if (wrapping === undefined) throw new Error('no wrapping key')
  return sampleKey({ keys, provider: wrapping.provider })
}
function withLocalKeys(...ids: number[]): SampleKey {
  const keyring = openKeyring(ids.map((id) => `k${id}:${Buffer.alloc(32, id).toString('base64')}`).join(','))
  const wrapping = openStagingKeys({ keyring, kmsKeys: [], kmsEndpoint: undefined })
  if (wrapping === undefined) throw new Error('no wrapping key')
  return sampleKey({ keys, provider: wrapping.provider })
}
/** What an opener does again and again. */
async function openAndTell(): Promise<SampleEnd> {
  const end = await opener.open()
  await opener.tell(end)
  return end
}
/** Lets what was kept lapse that lives no longer than this. */
function pass(ms: number): void {
  for (const [id, { value, untilMs }] of kept) {
    if (untilMs <= ms) kept.delete(id)
    else kept.set(id, { value, untilMs: untilMs - ms })
  }
}

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  kms = await startKmsServer([ARN])
  kept = new Map()
  keys = {
    keep: async (id, value, untilMs) => void kept.set(id, { value, untilMs }),
    find: async (id) => kept.get(id)?.value,
    forget: async (id) => void kept.delete(id),
  }
  stager = withKms()
  opener = withKms()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await kms.close()
})

describe('who stages', () => {
  it('knows whether the key service wraps, and not when it is away, refuses, or has lost the key', async () => {
    expect(await stager.isOpened()).toBe(true)
    expect(kms.calls.map(({ target, body }) => [target, body.EncryptionContext])).toEqual([
      ['TrentService.Encrypt', { purpose: 'probe' }],
    ])
    kms.failWith(NO_RIGHT)
    expect(await stager.isOpened()).toBe(false)
    kms.failWith(undefined)
    expect(await stager.isOpened()).toBe(true)
    kms.forgetKey(ARN)
    expect(await stager.isOpened()).toBe(false)
    await kms.close()
    expect(await stager.isOpened()).toBe(false)
  })

  it('hears of an opener that may wrap but not unwrap, for as long as that says so, and of one that may again', async () => {
    expect(await stager.isOpened()).toBe(true)
    kms.failWith({ ...NO_RIGHT, of: 'Decrypt' })
    expect(await openAndTell()).toBe('refused')
    expect(await stager.isOpened()).toBe(false)
    pass(30_000)
    expect(await stager.isOpened()).toBe(true)
    expect(await openAndTell()).toBe('refused')
    kms.failWith(undefined)
    expect(await openAndTell()).toBe('opened')
    expect(await stager.isOpened()).toBe(true)
  })

  it('believes whoever can, until nobody has for a quarter of a minute', async () => {
    await stager.isOpened()
    expect(await openAndTell()).toBe('opened')
    kms.failWith({ ...NO_RIGHT, of: 'Decrypt' })
    expect(await openAndTell()).toBe('refused')
    expect(await stager.isOpened()).toBe(true)
    pass(15_000)
    expect(await stager.isOpened()).toBe(false)
  })

  it('goes on where what the openers say cannot be read', async () => {
    keys.find = async () => {
      throw new Error('Redis is away')
    }
    expect(await stager.isOpened()).toBe(true)
  })
})

describe('who opens', () => {
  it('asks nobody while nobody stages', async () => {
    expect(await opener.open()).toBe('none')
    expect(kms.calls).toEqual([])
    await stager.isOpened()
    pass(60_000)
    expect(await opener.open()).toBe('none')
  })

  it('says that the keys cannot be read, which says nothing of the key service', async () => {
    keys.find = async () => {
      throw new Error('Redis is away')
    }
    await expect(opener.open()).rejects.toThrow('Redis is away')
  })

  it('finds out that it lacks the local key by which the others wrap', async () => {
    await withLocalKeys(2, 1).isOpened()
    expect(await withLocalKeys(1).open()).toBe('refused')
    expect(await withLocalKeys(1, 2).open()).toBe('opened')
  })
})

it('without any key there is no staging', () => {
  expect(openStagingKeys({ keyring: undefined, kmsKeys: [], kmsEndpoint: undefined })).toBeUndefined()
})
