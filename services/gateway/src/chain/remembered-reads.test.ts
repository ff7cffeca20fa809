import { describe, expect, it } from 'vitest'
import { rememberedReads } from './remembered-reads.ts'

function reads(maxRemembered = 10) {
  const clock = { ms: 1_000 }
  const asked: string[] = []
  const open: { key: string; resolve: (value: string) => void; reject: (error: Error) => void }[] = []
  const memory = rememberedReads<string>({
    read: (key) => {
      asked.push(key)
      return new Promise((resolve, reject) => open.push({ key, resolve, reject }))
    },
    maxAgeMs: () => 100,
    maxRemembered,
    now: () => clock.ms,
  })
  const answer = (value: string) => open.shift()?.resolve(value)
  const fail = (message: string) => open.shift()?.reject(new Error(message))
  return { memory, clock, asked, answer, fail }
}

describe('remembered reads', () => {
  it('read once for all who ask at the same time, and again after the age', async () => {
    const { memory, clock, asked, answer } = reads()
    const both = Promise.all([memory.read('a'), memory.read('a')])
    answer('one')
    expect(await both).toEqual(['one', 'one'])
    clock.ms += 99
    expect(await memory.read('a')).toBe('one')
    clock.ms += 1
    const later = memory.read('a')
    answer('two')
    expect(await later).toBe('two')
    expect(asked).toEqual(['a', 'a'])
  })

  it('count the age from before the reading', async () => {
    const { memory, clock, asked, answer } = reads()
    const slow = memory.read('a')
    clock.ms += 100
    answer('old')
    await slow
    void memory.read('a')
    expect(asked).toHaveLength(2)
  })

  it('do not join a reading that began earlier when fresh is asked for', async () => {
    const { memory, asked, answer } = reads()
    const stale = memory.read('a')
    const fresh = memory.read('a', { fresh: true })
    answer('before')
    answer('after')
    expect([await stale, await fresh]).toEqual(['before', 'after'])
    expect(asked).toHaveLength(2)
  })

  it('forget a failure', async () => {
    const { memory, answer, fail } = reads()
    const failing = memory.read('a')
    fail('away')
    await expect(failing).rejects.toThrow('away')
    const again = memory.read('a')
    answer('there')
    expect(await again).toBe('there')
  })

  it('keep a bounded number, the newest', async () => {
    const { memory, asked, answer } = reads(2)
    for (const key of ['a', 'b', 'c']) {
      const reading = memory.read(key)
      answer(key)
      await reading
    }
    expect(await memory.read('c')).toBe('c')
    void memory.read('a')
    expect(asked).toEqual(['a', 'b', 'c', 'a'])
  })
})
