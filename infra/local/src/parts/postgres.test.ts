import { chmodSync } from 'node:fs'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { startPart } from './start-part.ts'

async function query(url: string, sql: string) {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[]
  } finally {
    await client.end().catch(() => {})
  }
}

describe('postgres', () => {
  it('keeps what it committed through a kill, below a home that only its owner may enter', async () => {
    using folder = scratchFolder()
    chmodSync(folder.path, 0o700)
    const first = await startPart('postgres', { dir: folder.path })
    await query(first.url, 'CREATE TABLE kept (number int); INSERT INTO kept SELECT generate_series(1, 1000)')
    await first.kill()
    const second = await startPart('postgres', { dir: folder.path, port: first.port })
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'SELECT count(*)::int AS count FROM kept')).toEqual([{ count: 1000 }])
    await second.stop()
  })

  it('stops although a client is still connected', async () => {
    using folder = scratchFolder()
    const part = await startPart('postgres', { dir: folder.path })
    const client = new Client({ connectionString: part.url })
    const dropped = new Promise((resolve) => client.on('error', resolve))
    await client.connect()
    await part.stop()
    expect(await dropped).toBeInstanceOf(Error)
  })

  it('lets nobody in without its password', async () => {
    using folder = scratchFolder()
    const part = await startPart('postgres', { dir: folder.path })
    const url = new URL(part.url)
    url.password = 'guess'
    await expect(query(url.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    await part.stop()
  })
})
