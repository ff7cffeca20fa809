import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type KeyProvider, KeyRefused, keyProviders, localKeyProvider, openKeyring } from './index.ts'

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const first = entry('k1')
const CONTEXT = { purpose: 'test', job: '1' }
const local = localKeyProvider(openKeyring(first))
const dataKey = randomBytes(32)

describe('a local key', () => {
  it('unwraps what it wrapped, whatever the order of the context, and shows nothing of it', async () => {
    const wrapped = await local.wrap(dataKey, CONTEXT)
    expect(await local.unwrap(wrapped, { job: '1', purpose: 'test' })).toEqual(dataKey)
    expect(Buffer.from(wrapped, 'base64url').includes(dataKey)).toBe(false)
    expect(await local.wrap(dataKey, CONTEXT)).not.toBe(wrapped)
  })

  it.each([
    ['of another job', { ...CONTEXT, job: '2' }],
    ['with less context', { purpose: 'test' }],
    ['with more context', { ...CONTEXT, more: '1' }],
  ])('refuses a key %s', async (_what, context) => {
    await expect(local.unwrap(await local.wrap(dataKey, CONTEXT), context)).rejects.toBeInstanceOf(KeyRefused)
  })

  it('refuses a key that was altered, or is none', async () => {
    const wrapped = Buffer.from(await local.wrap(dataKey, CONTEXT), 'base64url')
    wrapped[wrapped.length - 1] = (wrapped.at(-1) ?? 0) ^ 1
    for (const text of [wrapped.toString('base64url'), '', 'nonsense']) {
      await expect(local.unwrap(text, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
    }
  })

  it('that was rotated out still unwraps, one that is gone does not', async () => {
    const wrapped = await local.wrap(dataKey, CONTEXT)
    const second = entry('k2')
    expect(await localKeyProvider(openKeyring(`${second},${first}`)).unwrap(wrapped, CONTEXT)).toEqual(dataKey)
    await expect(localKeyProvider(openKeyring(second)).unwrap(wrapped, CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
  })
})

describe('several providers', () => {
  const other = localKeyProvider(openKeyring(entry('k9')))

  it('wrap with the first and unwrap with whichever wrapped', async () => {
    const before = await keyProviders(new Map([['local', local]])).wrap(dataKey, CONTEXT)
    const moved = keyProviders(
      new Map([
        ['other', other],
        ['local', local],
      ]),
    )
    expect(await moved.unwrap(before, CONTEXT)).toEqual(dataKey)
    const after = await moved.wrap(dataKey, CONTEXT)
    expect(after.slice(0, 6)).toBe('other.')
    expect(await moved.unwrap(after, CONTEXT)).toEqual(dataKey)
  })

  it('refuse what none of them wrapped, and pass on that one is away', async () => {
    const away: KeyProvider = { wrap: () => Promise.reject(new Error('away')), unwrap: () => Promise.reject(new Error('away')) }
    const providers = keyProviders(new Map([['away', away]]))
    await expect(providers.unwrap('local.x', CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
    await expect(providers.unwrap('nothing', CONTEXT)).rejects.toBeInstanceOf(KeyRefused)
    await expect(providers.unwrap('away.x', CONTEXT)).rejects.toThrow('away')
    await expect(providers.wrap(dataKey, CONTEXT)).rejects.toThrow('away')
  })

  it('are at least one, with a name', () => {
    expect(() => keyProviders(new Map())).toThrow(RangeError)
    expect(() => keyProviders(new Map([['a.b', local]]))).toThrow(RangeError)
  })
})
