import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { ownerOf, tryLock } from './lock-file.ts'

describe('a lock', () => {
  it('is held by one, and names its owner to the other', () => {
    using folder = scratchFolder()
    const file = join(folder.path, 'lock')
    const first = tryLock(file, { port: 1 })
    expect(first.held).toBe(true)
    expect(tryLock(file, { port: 2 })).toMatchObject({ held: false, owner: { pid: process.pid, port: 1 } })
    if (first.held) first.release()
    expect(existsSync(file)).toBe(false)
    expect(tryLock(file, { port: 2 }).held).toBe(true)
  })

  it.each([
    ['whose owner is gone', JSON.stringify({ pid: process.pid, startTime: 'an earlier boot:1' })],
    ['that is damaged', '{"pid":'],
  ])('%s is free', (_case, content) => {
    using folder = scratchFolder()
    const file = join(folder.path, 'lock')
    writeFileSync(file, content)
    expect(ownerOf(file)).toBeUndefined()
    expect(tryLock(file, {}).held).toBe(true)
  })
})
