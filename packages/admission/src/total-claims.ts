import { defineScript, LUA_NOW, type RedisConnection, runnable } from './redis.ts'

// The unsettled value of all payers together, under one hash tag of its own:
//   u:{all}   hash: sum (atomic USDC)     ul:{all}  sorted set: job id -> end of its lease (ms)     ua:{all}  hash: job id -> amount
// Fresh wallets cost an attacker nothing, so a ceiling per payer alone bounds no free work.

export type TotalClaims = {
  /** Counts a job once, however often it is claimed. */
  claim(claim: {
    jobId: string
    amountAtomic: bigint
    leaseMs: number
    ceilingAtomic: bigint
  }): Promise<'claimed' | 'exposure_limit'>
  extend(jobId: string, leaseMs: number): Promise<void>
  release(jobId: string): Promise<void>
  /** Atomic USDC in flight or owed, lapsed leases included until the next claim. */
  sum(): Promise<bigint>
}

const KEYS = ['u:{all}', 'ul:{all}', 'ua:{all}'] as const

const CLAIM = `
${LUA_NOW}
for _, job in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)) do
  redis.call('HINCRBY', KEYS[1], 'sum', -(redis.call('HGET', KEYS[3], job) or 0))
  redis.call('ZREM', KEYS[2], job)
  redis.call('HDEL', KEYS[3], job)
end
if not redis.call('HGET', KEYS[3], ARGV[1]) then
  if (redis.call('HGET', KEYS[1], 'sum') or 0) + ARGV[2] > tonumber(ARGV[4]) then return 'exposure_limit' end
  redis.call('HINCRBY', KEYS[1], 'sum', ARGV[2])
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
end
-- What is owed for longer stays so.
redis.call('ZADD', KEYS[2], 'GT', now + ARGV[3], ARGV[1])
return 'claimed'`

const EXTEND = `
${LUA_NOW}
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) end
return 1`

const RELEASE = `
local amount = redis.call('HGET', KEYS[3], ARGV[1])
if not amount then return 0 end
redis.call('HINCRBY', KEYS[1], 'sum', -amount)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return 1`

const SCRIPTS = {
  claim: defineScript('turnpikeClaimTotal', 3, CLAIM),
  extend: defineScript('turnpikeExtendTotal', 1, EXTEND),
  release: defineScript('turnpikeReleaseTotal', 3, RELEASE),
}

export function totalClaims(redis: RedisConnection): TotalClaims {
  const { claim, extend, release } = runnable(redis, SCRIPTS)
  return {
    async claim({ jobId, amountAtomic, leaseMs, ceilingAtomic }) {
      const status = await claim(KEYS, [jobId, amountAtomic.toString(), leaseMs, ceilingAtomic.toString()])
      return status === 'claimed' ? 'claimed' : 'exposure_limit'
    },
    async extend(jobId, leaseMs) {
      await extend([KEYS[1]], [jobId, leaseMs])
    },
    async release(jobId) {
      await release(KEYS, [jobId])
    },
    async sum() {
      return BigInt((await redis.hget(KEYS[0], 'sum')) ?? '0')
    },
  }
}
