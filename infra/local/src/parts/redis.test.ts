import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { startPart } from './start-part.ts'

describe('redis', () => {
  it('keeps what it acknowledged through a kill, on its port', async () => {
    using folder = scratchFolder()
    const first = await startPart('redis', { dir: folder.path })
    const client = new Redis(first.url, { lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    for (let number = 0; number < 100; number++) await client.set(`key-${number}`, number)
    await first.kill()
    client.disconnect()
    const second = await startPart('redis', { dir: folder.path, port: first.port })
    const again = new Redis(second.url)
    expect(second.url).toBe(first.url)
    expect(await again.dbsize()).toBe(100)
    again.disconnect()
    await second.stop()
  })
})
