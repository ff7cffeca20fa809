import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { homeAt } from '../home.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { sendControl, serveControl } from './control-socket.ts'

describe('the control socket', () => {
  it.each([
    ['a home', ''],
    ['a home too deep for a socket of its own', 'deep/'.repeat(30)],
  ])('takes an order for %s and answers it', async (_case, below) => {
    using folder = scratchFolder()
    const home = homeAt(join(folder.path, below))
    mkdirSync(home.folder, { recursive: true })
    const server = await serveControl(home, async (action, name) => ({ ok: true, sentence: `${action} ${name}` }))
    expect(Buffer.byteLength(home.controlSocket)).toBeLessThan(108)
    expect(statSync(home.controlSocket).mode & 0o077).toBe(0)
    expect(await sendControl(home, 'stop', 'kafka')).toEqual({ ok: true, sentence: 'stop kafka' })
    server.close()
  })

  it('answers with the reason when the order fails', async () => {
    using folder = scratchFolder()
    const home = homeAt(folder.path)
    const server = await serveControl(home, async () => {
      throw new Error('The disk is full.')
    })
    expect(await sendControl(home, 'start', 'kafka')).toEqual({ ok: false, sentence: 'The disk is full.' })
    server.close()
  })

  it('says that nothing runs where nothing runs', async () => {
    using folder = scratchFolder()
    await expect(sendControl(homeAt(folder.path), 'stop', 'kafka')).rejects.toThrow(`No stack runs on ${folder.path}`)
  })
})
