import { openBindFreeKey } from './bind-free-keys.ts'
import { defineScript, LUA_NOW, type RedisConnection, runnable } from './redis.ts'

// One short text per idempotency key, k:r:{<SHA-256 of the key>}, its fields parted by spaces:
//   state (q quoted, i in flight), fingerprint (first 128 bits, base64url), amount (atomic USDC), catalog version
//   while in flight also: job id, payer, attempt, end of the lease (ms), token of the claim
// A text and no hash, because nearly every binding is of a key that nobody has used: that is one SET, and no look.
// Redis may lose it at any time: the ledger knows every key that was ever admitted, and one that was only quoted is quoted again.

/** A catalog version has no space in it: the price list sees to that. */
export type Quote = { amountAtomic: bigint; catalogVersion: string }
export type KeyRecord =
  | { state: 'none' }
  | { state: 'quoted'; fingerprint: string; quote: Quote }
  | { state: 'in_flight'; fingerprint: string; quote: Quote; jobId: string; payer: string; attempt: number; leaseLeftMs: number }

export type ClaimResult = { status: 'claimed' } | { status: 'held' } | { status: 'reused' }

export type KeyClaims = {
  read(keyHash: string): Promise<KeyRecord>
  /**
   * Binds a free key to the effective request and its quote for an hour from its last use, and returns what stands there then: this
   * binding, another request's, or a claim. A quote of another catalog version gives way to this one.
   */
  bind(keyHash: string, fingerprint: string, quote: Quote): Promise<Exclude<KeyRecord, { state: 'none' }>>
  /** Takes back a binding of that request that nobody has claimed. */
  unbind(keyHash: string, fingerprint: string): Promise<void>
  /**
   * `quoted → in_flight`, for a lease. A lapsed lease may be taken by whoever proved the payer again, and so may the claim of an
   * earlier attempt: that a later one is asked for means that the ledger has seen the earlier one fail.
   */
  claim(keyHash: string, claim: KeyClaim): Promise<ClaimResult>
  /** Lengthens the lease of this very claim; false when somebody else has taken the key meanwhile, or Redis forgot it. */
  extend(keyHash: string, token: string, leaseMs: number): Promise<boolean>
  /** `in_flight → quoted`, when the job was not published; false when the claim is not this one any more. */
  giveBack(keyHash: string, token: string): Promise<boolean>
}

export type KeyClaim = {
  fingerprint: string
  quote: Quote
  jobId: string
  payer: string
  attempt: number
  leaseMs: number
  /** Random, of this claim alone: a claimant that was slow cannot touch what another took meanwhile, not even for the same job. */
  token: string
}

export const BINDING_TTL_MS = 3_600_000
// An in-flight record outlives its lease by this much, so that a joiner can tell a lapsed lease from a lost one.
const IN_FLIGHT_TTL_MS = 7_200_000
// 128 bits: a stranger cannot hit another request's prefix, and whoever builds two requests of his own that share one fools himself only;
// the ledger compares the whole fingerprint.
const FINGERPRINT_BYTES = 16

// `r` holds the fields, the first at 1; it is empty where nothing stands.
const FIELDS = `local r = {}
for field in string.gmatch(redis.call('GET', KEYS[1]) or '', '%S+') do r[#r + 1] = field end`

/** What is told of a record: its fields without the token, and what is left of the lease in place of its end. */
const TELL = `if r[8] then r[8] = tostring(tonumber(r[8]) - now) r[9] = nil end
return r`

const BIND_KNOWN = `
${LUA_NOW}
${FIELDS}
if r[1] and (r[1] ~= 'q' or r[2] ~= ARGV[1]) then
${TELL}
end
if r[4] ~= ARGV[3] then
  r = {'q', ARGV[1], ARGV[2], ARGV[3]}
  redis.call('SET', KEYS[1], table.concat(r, ' '), 'PX', ARGV[4])
else redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return r`

const UNBIND = `
${FIELDS}
if r[1] == 'q' and r[2] == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`

const CLAIM = `
${LUA_NOW}
${FIELDS}
if r[2] and r[2] ~= ARGV[1] then return 'reused' end
if r[1] == 'i' and tonumber(r[8]) > now and tonumber(r[7]) >= tonumber(ARGV[6]) then return 'held' end
r = {'i', ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], string.format('%d', now + ARGV[7]), ARGV[9]}
redis.call('SET', KEYS[1], table.concat(r, ' '), 'PX', ARGV[7] + ARGV[8])
return 'claimed'`

const EXTEND = `
${LUA_NOW}
${FIELDS}
if r[9] ~= ARGV[1] then return 0 end
r[8] = string.format('%d', now + ARGV[2])
redis.call('SET', KEYS[1], table.concat(r, ' '), 'PX', ARGV[2] + ARGV[3])
return 1`

const GIVE_BACK = `
${FIELDS}
if r[9] ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], table.concat({'q', r[2], r[3], r[4]}, ' '), 'PX', ARGV[2])
return 1`

const READ = `
${LUA_NOW}
${FIELDS}
${TELL}`

const SCRIPTS = {
  read: defineScript('turnpikeReadKey', 1, READ),
  bindKnown: defineScript('turnpikeBindKnownKey', 1, BIND_KNOWN),
  unbind: defineScript('turnpikeUnbindKey', 1, UNBIND),
  claim: defineScript('turnpikeClaimKey', 1, CLAIM),
  extend: defineScript('turnpikeExtendKey', 1, EXTEND),
  giveBack: defineScript('turnpikeGiveBackKey', 1, GIVE_BACK),
}

export function keyClaims(redis: RedisConnection): KeyClaims {
  const { read, bindKnown, unbind, claim, extend, giveBack } = runnable(redis, SCRIPTS)
  const bindFreeKey = openBindFreeKey(redis, BINDING_TTL_MS)

  return {
    async read(keyHash) {
      return recordOf((await read([recordKey(keyHash)], [])) as string[])
    },
    async bind(keyHash, fingerprint, quote) {
      const { amountAtomic, catalogVersion } = quote
      const terms = [short(fingerprint), amountAtomic.toString(), catalogVersion] as const
      const binding = ['q', ...terms].join(' ')
      if (await bindFreeKey(recordKey(keyHash), binding)) return { state: 'quoted', fingerprint: terms[0], quote }
      const record = recordOf((await bindKnown([recordKey(keyHash)], [...terms, BINDING_TTL_MS])) as string[])
      if (record.state === 'none') throw new Error('a key that was just bound has no record')
      return record
    },
    async unbind(keyHash, fingerprint) {
      await unbind([recordKey(keyHash)], [short(fingerprint)])
    },
    async claim(keyHash, { fingerprint, quote, jobId, payer, attempt, leaseMs, token }) {
      const { amountAtomic, catalogVersion } = quote
      const args = [
        short(fingerprint),
        amountAtomic.toString(),
        catalogVersion,
        jobId,
        payer,
        attempt,
        leaseMs,
        IN_FLIGHT_TTL_MS,
        token,
      ]
      return { status: (await claim([recordKey(keyHash)], args)) as ClaimResult['status'] }
    },
    async extend(keyHash, token, leaseMs) {
      return (await extend([recordKey(keyHash)], [token, leaseMs, IN_FLIGHT_TTL_MS])) === 1
    },
    async giveBack(keyHash, token) {
      return (await giveBack([recordKey(keyHash)], [token, BINDING_TTL_MS])) === 1
    },
  }
}

/** Whether a record's fingerprint is this request's. */
export function sameRequest(record: { fingerprint: string }, fingerprint: string): boolean {
  return record.fingerprint === short(fingerprint)
}

function recordOf(fields: readonly string[]): KeyRecord {
  const [state, fingerprint, amount, catalogVersion, jobId, payer, attempt, leaseLeft] = fields
  if (!state || !fingerprint || !amount || !catalogVersion) return { state: 'none' }
  const quote = { amountAtomic: BigInt(amount), catalogVersion }
  if (state === 'q' || !jobId || !payer) return { state: 'quoted', fingerprint, quote }
  return { state: 'in_flight', fingerprint, quote, jobId, payer, attempt: Number(attempt), leaseLeftMs: Number(leaseLeft) }
}

function recordKey(keyHash: string): string {
  return `k:r:{${keyHash}}`
}

function short(fingerprint: string): string {
  return Buffer.from(fingerprint, 'hex').toString('base64url', 0, FINGERPRINT_BYTES)
}
