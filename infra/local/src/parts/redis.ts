import { mkdir } from 'node:fs/promises'
import { Redis } from 'ioredis'
import { obtainRedis } from '../software/redis.ts'
import type { Part, Site } from './part.ts'

export interface RedisAddress {
  readonly url: string
}

export const redis: Part<string, RedisAddress> = {
  name: 'redis',
  needsSidePort: false,
  readyTimeoutMs: 15_000,
  obtain: obtainRedis,
  prepare: async (_program, site) => {
    await mkdir(site.dir, { recursive: true })
  },
  command: (program, site) => ({
    program,
    args: [
      ...['--port', String(site.port), '--bind', '127.0.0.1', '--dir', site.dir, '--daemonize', 'no'],
      // The append-only file survives a kill; snapshots beside it would only cost. What is full must say so, never forget silently.
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'],
    ],
    env: { PATH: process.env.PATH },
    stopSignal: 'SIGTERM',
  }),
  answers: async (site) => {
    // While it loads its file it refuses PING with an error, which counts as not yet.
    const client = new Redis(redisUrl(site), { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.ping()) === 'PONG'
    } finally {
      client.disconnect()
    }
  },
  fill: async () => {},
  address: (site) => ({ url: redisUrl(site) }),
}

function redisUrl(site: Site): string {
  return `redis://127.0.0.1:${site.port}`
}
