import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from './free-port.ts'
import { homeAt } from './home.ts'
import { tryLock } from './process/lock-file.ts'
import { part, startStack } from './start-stack.ts'
import { scratchFolder } from './testing/scratch-folder.ts'

describe('a stack that cannot start', () => {
  it('says in one sentence that its port is taken, and leaves nothing behind', async () => {
    using folder = scratchFolder()
    const port = await freePort()
    const occupant = createServer().listen(port, '127.0.0.1')
    await expect(startStack({ home: folder.path, port })).rejects.toThrow(
      new RegExp(`^Port ${port} is taken by another program; stop that, or set TURNPIKE_PORT\\.$`),
    )
    occupant.close()
    expect(existsSync(join(folder.path, 'stack.json'))).toBe(false)
    expect(existsSync(join(folder.path, 'supervisor.json'))).toBe(false)
  })

  it('says in one sentence that another one has its home, and leaves that one alone', async () => {
    using folder = scratchFolder()
    const lock = tryLock(homeAt(folder.path).supervisorFile, { port: 8402 })
    const before = readFileSync(homeAt(folder.path).supervisorFile, 'utf8')
    await expect(startStack({ home: folder.path, port: await freePort() })).rejects.toThrow(
      `A stack runs on ${folder.path} already (process ${process.pid}, port 8402); stop it, or set another TURNPIKE_HOME and TURNPIKE_PORT.`,
    )
    expect(readFileSync(homeAt(folder.path).supervisorFile, 'utf8')).toBe(before)
    if (lock.held) lock.release()
  })

  it('says what is wrong with its settings', async () => {
    using folder = scratchFolder()
    const port = await freePort()
    await expect(startStack({ home: folder.path, port, replicas: 'gatway=2' })).rejects.toThrow('"gatway", which is no service')
    await expect(startStack({ home: folder.path, port, env: { TURNPIKE_BLOCK_TIME: 'slow' } })).rejects.toThrow(
      'TURNPIKE_BLOCK_TIME',
    )
  })
})

describe('an order for a stack that does not run', () => {
  it('is refused in one sentence', async () => {
    using folder = scratchFolder()
    await expect(part(folder.path, 'stop', 'kafka')).rejects.toThrow(`No stack runs on ${folder.path}`)
  })
})
