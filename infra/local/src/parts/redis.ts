import { mkdir } from 'node:fs/promises'
import { Redis } from 'ioredis'
import { obtainRedis } from '../software/redis.ts'
import { type GuardedAccess, keptPasswords, operator } from '../wire/accounts.ts'
import { guardedArguments } from '../wire/guarded-redis.ts'
import type { Part, Site } from './part.ts'

export interface RedisAddress {
  /** As nobody; as the operator where accounts are needed. */
  readonly url: string
  readonly guarded?: GuardedAccess
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
      ...(site.guard === undefined ? ['--port', String(site.port)] : guardedArguments(site.dir, site.port, site.guard)),
      ...(site.isClusterNode === true ? clusterArguments(site) : []),
      ...['--bind', '127.0.0.1', '--dir', site.dir, '--daemonize', 'no'],
      // The append-only file survives a kill; snapshots beside it would only cost. What is full must say so, never forget silently.
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'],
    ],
    env: { PATH: process.env.PATH },
    stopSignal: 'SIGTERM',
  }),
  answers: async (site) => {
    // While it loads its file it refuses PING with an error, which counts as not yet.
    const client = new Redis(redisUrl(site), {
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      ...(site.guard === undefined ? {} : { tls: { ca: site.guard.ca } }),
    })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.ping()) === 'PONG'
    } finally {
      client.disconnect()
    }
  },
  fill: async () => {},
  address: (site) => ({
    url: redisUrl(site),
    ...(site.guard === undefined ? {} : { guarded: { ca: site.guard.ca, passwords: keptPasswords(site.dir) } }),
  }),
}

function clusterArguments({ sidePort, guard }: Site): string[] {
  const own = ['--cluster-enabled', 'yes', '--cluster-port', String(sidePort), '--cluster-node-timeout', '1000']
  return guard === undefined ? own : [...own, '--tls-cluster', 'yes']
}

function redisUrl(site: Site): string {
  if (site.guard === undefined) return `redis://127.0.0.1:${site.port}`
  return `rediss://${operator}:${keptPasswords(site.dir)[operator]}@127.0.0.1:${site.port}`
}
