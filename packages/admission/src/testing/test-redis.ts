import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPart } from '@turnpike/local'
import type { Redis } from 'ioredis'
import { openRedis } from '../redis.ts'

export type TestRedis = {
  url: string
  pid(): number
  /** A connection as services open it; closed with the server. */
  connect(): Promise<Redis>
  stop(): Promise<void>
  /** On its old port. */
  startAgain(): Promise<void>
  remove(): Promise<void>
}

/** A real Redis for one test file. */
export async function startTestRedis(): Promise<TestRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'turnpike-redis-'))
  let part = await startPart('redis', { dir })
  const { url, port } = part
  const connections: Redis[] = []
  return {
    url,
    pid: () => part.pid,
    async connect() {
      const redis = openRedis(url, { name: 'test', onError: () => {} })
      connections.push(redis)
      await new Promise((resolve) => redis.once('ready', resolve))
      return redis
    },
    stop: () => part.stop(),
    async startAgain() {
      part = await startPart('redis', { dir, port })
    },
    async remove() {
      for (const redis of connections) redis.disconnect()
      await part.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

export function randomKeyHash(): string {
  return randomBytes(32).toString('base64url')
}
