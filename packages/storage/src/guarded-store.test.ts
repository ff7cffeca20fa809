import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, newAuthority, type PartHandle, startPart } from '@turnpike/local'
import { loadConfig, S3_VARIABLES, s3Wire } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ObjectStore, openObjectStore } from './object-store.ts'

// A store as production has it: https by an authority of its own, and a user per service under the bucket's policy.
let part: AddressByPart['s3'] & PartHandle
let dir: string
let strangersCa: string

beforeAll(async () => {
  const authority = await newAuthority()
  strangersCa = (await newAuthority()).ca
  dir = await mkdtemp(join(tmpdir(), 'turnpike-s3-'))
  part = await startPart('s3', { dir, guard: await authority.issue('s3') })
})
afterAll(async () => {
  await part?.stop()
  await rm(dir, { recursive: true, force: true })
})

type Account = 'gateway' | 'text-worker' | 'media-worker' | 'transcription-worker' | 'ledger' | 'auditor'

function open(account: Account | 'owner', changes: Record<string, string> = {}): { store: ObjectStore; refusals: string[] } {
  const owner = { S3_ACCESS_KEY_ID: part.accessKeyId, S3_SECRET_ACCESS_KEY: part.secretAccessKey }
  const user = {
    S3_ACCESS_KEY_ID: account,
    S3_SECRET_ACCESS_KEY: account === 'owner' ? '' : (part.guarded?.passwords[account] ?? ''),
  }
  const env = {
    S3_ENDPOINT: part.endpoint,
    S3_BUCKET: part.bucket,
    S3_FORCE_PATH_STYLE: 'true',
    S3_TLS_CA: part.guarded?.ca ?? '',
    ...(account === 'owner' ? owner : user),
    ...changes,
  }
  const refusals: string[] = []
  const store = openObjectStore({ ...s3Wire(loadConfig(account, S3_VARIABLES, env)), onRefused: (said) => refusals.push(said) })
  onTestFinished(() => store.close())
  return { store, refusals }
}

describe('a connection', () => {
  it('is made with the right authority and key', async () => {
    const { store, refusals } = open('gateway')
    expect(await store.probe()).toBe(true)
    expect(refusals).toEqual([])
  })

  it.each<[string, () => Record<string, string>, string[]]>([
    [
      'the authority is another one',
      () => ({ S3_TLS_CA: strangersCa }),
      ['The certificate of the object store is not signed by an authority that is trusted here: see S3_TLS_CA.'],
    ],
    [
      'the key is wrong',
      () => ({ S3_SECRET_ACCESS_KEY: 'a-wrong-one' }),
      ['The object store refuses S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY for S3_BUCKET.'],
    ],
    ['it is tried without TLS', () => ({ S3_ENDPOINT: part.endpoint.replace('https:', 'http:'), S3_TLS_CA: '' }), []],
  ])('is not made when %s, and what can be said is said once', async (_when, changes, sentences) => {
    const { store, refusals } = open('gateway', changes())
    expect(await store.probe()).toBe(false)
    expect(await store.probe()).toBe(false)
    expect(refusals).toEqual(sentences)
  })
})

describe('rights', () => {
  const PREFIXES = ['requests/', 'results/', 'staging/', 'media/image/', 'media/speech/', 'other/'] as const
  const REST = '-'

  // By prefix: g get, p put, d delete.
  it.each<[Account, Record<string, string>]>([
    ['gateway', { 'requests/': 'p', 'results/': 'g', 'staging/': 'pd', 'media/image/': 'g', 'media/speech/': 'g' }],
    ['text-worker', { 'requests/': 'gd', 'results/': 'p' }],
    ['media-worker', { 'requests/': 'gd', 'results/': 'p', 'media/image/': 'p', 'media/speech/': 'p' }],
    ['transcription-worker', { 'requests/': 'gd', 'results/': 'p', 'staging/': 'gd' }],
    ['ledger', { 'requests/': 'gd', 'results/': 'gd', 'staging/': 'd', 'media/image/': 'd', 'media/speech/': 'd' }],
    ['auditor', { 'results/': 'g' }],
  ])('let the %s do its work and no more', async (account, allowed) => {
    const [{ store: owner }, { store }] = [open('owner'), open(account)]
    const found = await Promise.all(
      PREFIXES.map(async (prefix) => {
        const key = `${prefix}${randomUUID()}`
        await owner.put(key, Buffer.from('kept'))
        const may = [
          (await succeeds(store.get(key, { maxBytes: 100 }))) ? 'g' : '',
          (await succeeds(store.put(`${prefix}${randomUUID()}`, Buffer.from('new')))) ? 'p' : '',
          (await succeeds(store.delete(key))) ? 'd' : '',
        ].join('')
        return [prefix, may === '' ? REST : may]
      }),
    )
    expect(Object.fromEntries(found)).toEqual({ ...Object.fromEntries(PREFIXES.map((prefix) => [prefix, REST])), ...allowed })
  })
})

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  )
}
