import { defineScript, LUA_NOW, type RedisConnection, runnable } from './redis.ts'

// What a payer has in flight, all under its hash tag:
//   p:{payer}   hash: sum (atomic USDC in flight), ver (grows with every settlement)
//   pl:{payer}  sorted set: job id -> end of its lease (ms)
//   pa:{payer}  hash: job id -> amount
//   pn:{payer}:<nonce>  the request that the authorization arrived with first; lives as long as the authorization can be paid
//
// The balance is read before the claim, so a settlement in between would count its amount twice (gone from the sum and still in the
// balance). Hence `ver`: read it, read the balance, claim with that `ver`; a claim that finds another one reads the balance again.

export type PayerClaim = {
  payer: string
  nonce: string
  /** Exposure is counted once per job: a new signature for a stored result takes the place of the one that failed. */
  jobId: string
  /** The key and effective request that the authorization belongs to from now on. */
  belongsTo: string
  amountAtomic: bigint
  leaseMs: number
  /** How long the authorization itself can still be settled. */
  authorizationMs: number
  balance: { atomic: bigint; version: string }
  /** The most that this payer may have unsettled, whatever its balance. */
  ceilingAtomic?: bigint
}

export type PayerClaimResult = { status: 'claimed' | 'stale_balance' | 'insufficient_funds' | 'exposure_limit' | 'already_used' }

export type PayerClaims = {
  /** Read before the balance. */
  version(payer: string): Promise<string>
  claim(claim: PayerClaim): Promise<PayerClaimResult>
  /**
   * An authorization that only proves its payer, for a join or a replay, belongs to that request too: it pays for no other one. The
   * first request it arrived with keeps it.
   */
  bind(authorization: { payer: string; nonce: string; belongsTo: string; authorizationMs: number }): Promise<void>
  extend(payer: string, jobId: string, leaseMs: number): Promise<void>
  /** Gives the exposure back. `settled`: the balance has changed. The binding of the authorization stays. */
  release(claim: { payer: string; jobId: string; settled: boolean }): Promise<void>
}

const IDLE_TTL_MS = 7_200_000

// Amounts stay below 2^53 in every script: 9,007,199,254 USDC in flight for one payer.
const CLAIM = `
${LUA_NOW}
local owner = redis.call('GET', KEYS[4])
if owner and owner ~= ARGV[2] then return 'already_used' end
for _, job in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100)) do
  redis.call('HINCRBY', KEYS[1], 'sum', -(redis.call('HGET', KEYS[3], job) or 0))
  redis.call('ZREM', KEYS[2], job)
  redis.call('HDEL', KEYS[3], job)
end
if (redis.call('HGET', KEYS[1], 'ver') or '0') ~= ARGV[6] then return 'stale_balance' end
local counted = redis.call('HGET', KEYS[3], ARGV[1])
local sum = (redis.call('HGET', KEYS[1], 'sum') or 0) - (counted or 0) + ARGV[3]
if sum > tonumber(ARGV[5]) then return 'insufficient_funds' end
if not counted and sum > tonumber(ARGV[9]) then return 'exposure_limit' end
redis.call('HSET', KEYS[1], 'sum', string.format('%d', sum))
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
-- What is owed for longer stays so.
redis.call('ZADD', KEYS[2], 'GT', now + ARGV[4], ARGV[1])
redis.call('SET', KEYS[4], ARGV[2], 'PX', ARGV[7])
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[8]) end
return 'claimed'`

const EXTEND = `
${LUA_NOW}
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1]) end
return 1`

const RELEASE = `
if ARGV[2] == '1' then
  redis.call('HINCRBY', KEYS[1], 'ver', 1)
  -- All or none: a sum that outlives its leases stays too high.
  for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
end
local amount = redis.call('HGET', KEYS[3], ARGV[1])
if not amount then return 0 end
redis.call('HINCRBY', KEYS[1], 'sum', -amount)
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return 1`

const SCRIPTS = {
  claim: defineScript('turnpikeClaimPayer', 4, CLAIM),
  extend: defineScript('turnpikeExtendPayer', 1, EXTEND),
  release: defineScript('turnpikeReleasePayer', 3, RELEASE),
}

export function payerClaims(redis: RedisConnection): PayerClaims {
  const { claim, extend, release } = runnable(redis, SCRIPTS)

  return {
    async version(payer) {
      return (await redis.hget(`p:{${payer}}`, 'ver')) ?? '0'
    },
    async claim({ payer, nonce, jobId, belongsTo, amountAtomic, leaseMs, authorizationMs, balance, ceilingAtomic }) {
      const status = await claim(
        [`p:{${payer}}`, `pl:{${payer}}`, `pa:{${payer}}`, `pn:{${payer}}:${nonce}`],
        // A balance beyond 2^53 is a balance of 2^53 here: no sum in flight comes near it.
        [
          jobId,
          belongsTo,
          amountAtomic.toString(),
          leaseMs,
          capped(balance.atomic),
          balance.version,
          Math.max(1, authorizationMs),
          IDLE_TTL_MS,
          capped(ceilingAtomic ?? MAX_EXACT),
        ],
      )
      return { status: status as PayerClaimResult['status'] }
    },
    async bind({ payer, nonce, belongsTo, authorizationMs }) {
      await redis.set(`pn:{${payer}}:${nonce}`, belongsTo, 'PX', Math.max(1, authorizationMs), 'NX')
    },
    async extend(payer, jobId, leaseMs) {
      await extend([`pl:{${payer}}`], [jobId, leaseMs])
    },
    async release({ payer, jobId, settled }) {
      await release([`p:{${payer}}`, `pl:{${payer}}`, `pa:{${payer}}`], [jobId, settled ? '1' : '0', IDLE_TTL_MS])
    },
  }
}

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER)

function capped(amountAtomic: bigint): string {
  return (amountAtomic > MAX_EXACT ? MAX_EXACT : amountAtomic).toString()
}
