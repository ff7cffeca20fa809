import { defineScript, LUA_NOW, type RedisConnection, runnable } from './redis.ts'

// x:{<job id>}: o owner, c starts so far, l end of the lease (ms), d done. Keeps one job from running in two workers at once and
// counts its starts. Redis may lose it: then a job may run once more, and the ledger takes the first outcome only.

export type ExecutionStart =
  | { status: 'started'; start: number }
  | { status: 'running_elsewhere'; retryInMs: number }
  | { status: 'finished' }
  | { status: 'too_many_starts' }

export type ExecutionClaims = {
  /** `start` counts from 1. A third start is refused: the first two may both have reached the provider. */
  start(jobId: string, owner: string, leaseMs: number): Promise<ExecutionStart>
  /** False when the lease is no longer this owner's. */
  renew(jobId: string, owner: string, leaseMs: number): Promise<boolean>
  /** The outcome is published: nobody starts this job again. */
  finish(jobId: string): Promise<void>
}

export const MAX_STARTS = 2
// Longer than any redelivery: Kafka keeps jobs for six hours.
const RECORD_TTL_MS = 7 * 3_600_000

const START = `
${LUA_NOW}
local r = redis.call('HMGET', KEYS[1], 'o', 'c', 'l', 'd')
if r[4] then return {'finished'} end
if r[3] and tonumber(r[3]) > now and r[1] ~= ARGV[1] then return {'running_elsewhere', tostring(tonumber(r[3]) - now)} end
if tonumber(r[2] or 0) >= tonumber(ARGV[3]) then return {'too_many_starts'} end
local start = redis.call('HINCRBY', KEYS[1], 'c', 1)
redis.call('HSET', KEYS[1], 'o', ARGV[1], 'l', now + ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return {'started', tostring(start)}`

const RENEW = `
${LUA_NOW}
if redis.call('HGET', KEYS[1], 'o') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'l', now + ARGV[2])
return 1`

const FINISH = `
redis.call('HSET', KEYS[1], 'd', '1')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`

const SCRIPTS = {
  start: defineScript('turnpikeStartExecution', 1, START),
  renew: defineScript('turnpikeRenewExecution', 1, RENEW),
  finish: defineScript('turnpikeFinishExecution', 1, FINISH),
}

export function executionClaims(redis: RedisConnection): ExecutionClaims {
  const { start, renew, finish } = runnable(redis, SCRIPTS)

  return {
    async start(jobId, owner, leaseMs) {
      const [status, value = '0'] = (await start([`x:{${jobId}}`], [owner, leaseMs, MAX_STARTS, RECORD_TTL_MS])) as string[]
      if (status === 'started') return { status, start: Number(value) }
      if (status === 'running_elsewhere') return { status, retryInMs: Number(value) }
      return { status: status === 'finished' ? 'finished' : 'too_many_starts' }
    },
    async renew(jobId, owner, leaseMs) {
      return (await renew([`x:{${jobId}}`], [owner, leaseMs])) === 1
    },
    async finish(jobId) {
      await finish([`x:{${jobId}}`], [RECORD_TTL_MS])
    },
  }
}
