import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lock } from './install-lock.mjs'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnpike-lock-'))
  file = join(folder, 'install.lock')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the lock of an installation', () => {
  it('is taken over from an owner that was killed', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '0'])
    writeFileSync(file, String(pid))
    const release = await lock(file)
    release()
    expect(existsSync(file)).toBe(false)
  })

  it('is taken over from an owner that died before it wrote its pid', async () => {
    writeFileSync(file, '')
    const longAgo = new Date(Date.now() - 10_000)
    utimesSync(file, longAgo, longAgo)
    const release = await lock(file)
    release()
  })

  it('is taken over when it is older than any installation, whoever has that pid now', async () => {
    writeFileSync(file, String(process.pid))
    const longAgo = new Date(Date.now() - 31 * 60_000)
    utimesSync(file, longAgo, longAgo)
    const release = await lock(file)
    release()
  })

  it('is waited for while its owner runs, and says so', async () => {
    const release = await lock(file)
    const waitedFor: (number | undefined)[] = []
    const second = lock(file, (owner: number | undefined) => waitedFor.push(owner))
    await expect.poll(() => waitedFor).toEqual([process.pid])
    release()
    const releaseSecond = await second
    releaseSecond()
  })

  it('goes with a process that ends by itself', () => {
    const program = `import { lock } from ${JSON.stringify(join(import.meta.dirname, 'install-lock.mjs'))}; await lock(process.argv[1]); process.exit(1)`
    const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program, file])
    expect({ status, isLeft: existsSync(file) }).toEqual({ status: 1, isLeft: false })
  })
})
