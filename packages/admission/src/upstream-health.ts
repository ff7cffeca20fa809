import { defineScript, LUA_NOW, type RedisConnection, runnable } from './redis.ts'

// h:{upstreams}, one hash: "<model>#<index>" -> JSON {u: open until (ms), n: openings in a row, t: targets of the model, c: code,
// p: probe, l: end of its lease (ms), a: last answer (ms), w: the process that got it}. One key, so that a gateway reads it all in one trip. Workers write it, and
// only when a target changes or, once a second each, to say that it answers. Redis may lose it: then every worker judges alone and
// nothing is closed to clients.

export type UpstreamTarget = { model: string; index: number; of: number }
export type UpstreamCode = 'provider_unavailable' | 'provider_overloaded'

/** A target that is not to be sold: for `forMs` from the moment of reading, at most. */
export type ClosedTarget = UpstreamTarget & { code: UpstreamCode; forMs: number }

export type UpstreamHealth = {
  /**
   * Closes a target to clients, for `leastMs` and twice as long each time in a row, up to `mostMs`. Not when it answered another process
   * in the last seconds, or since the caller's failures began: then the fault is the caller's own.
   */
  open(
    target: UpstreamTarget,
    report: { code: UpstreamCode; leastMs: number; mostMs: number; failingForMs: number },
  ): Promise<{ status: 'open'; forMs: number } | { status: 'answers_others' }>
  /** One probe at a time, among all processes, once the open period is over. `closed`: it answered, or nothing is known of it. */
  startProbe(
    target: UpstreamTarget,
    probe: string,
    leaseMs: number,
  ): Promise<{ status: 'started' } | { status: 'wait'; forMs: number } | { status: 'closed' }>
  renewProbe(target: UpstreamTarget, probe: string, leaseMs: number): Promise<void>
  endProbe(target: UpstreamTarget, probe: string): Promise<void>
  answered(target: UpstreamTarget): Promise<void>
}

const KEY = 'h:{upstreams}'
// Longer than any open period, so that what nobody writes any more goes.
const TTL_MS = 3_600_000
/** A process whose network is gone fails fast: the others, who say once a second that they are answered, must have had the time to. */
const ANSWERED_LATELY_MS = 3_000

const HEAD = `
${LUA_NOW}
local text = redis.call('HGET', KEYS[1], ARGV[1])
local r = text and cjson.decode(text) or {}
local function save()
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(r))
  redis.call('PEXPIRE', KEYS[1], ${TTL_MS})
end`

const OPEN = `${HEAD}
if r.a and r.w ~= ARGV[7] and r.a >= now - math.max(ARGV[6], ${ANSWERED_LATELY_MS}) then return {'answers_others'} end
if not r.u or r.u <= now then
  r.n = (r.n or 0) + 1
  r.u = now + math.min(tonumber(ARGV[5]), ARGV[4] * 2 ^ math.min(r.n - 1, 16))
  r.p = nil
  r.l = nil
end
r.t = tonumber(ARGV[2])
r.c = ARGV[3]
save()
return {'open', tostring(r.u - now)}`

const START_PROBE = `${HEAD}
if not r.u then return {'closed'} end
if r.u > now then return {'wait', tostring(r.u - now)} end
if r.l and r.l > now then return {'wait', tostring(r.l - now)} end
r.p = ARGV[2]
r.l = now + ARGV[3]
save()
return {'started'}`

const RENEW_PROBE = `${HEAD}
if r.p ~= ARGV[2] then return 0 end
r.l = now + ARGV[3]
save()
return 1`

const END_PROBE = `${HEAD}
if r.p ~= ARGV[2] then return 0 end
r.p = nil
r.l = nil
save()
return 1`

const ANSWERED = `${HEAD}
r = {a = now, w = ARGV[2]}
save()
return 1`

const CLOSED_TARGETS = `
${LUA_NOW}
local closed = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  local r = cjson.decode(all[i + 1])
  local till = math.max(r.u or 0, r.u and r.l or 0)
  if till > now then closed[#closed + 1] = {all[i], tostring(r.t), r.c, tostring(till - now)} end
end
return closed`

const SCRIPTS = {
  open: defineScript('turnpikeOpenUpstream', 1, OPEN),
  startProbe: defineScript('turnpikeStartProbe', 1, START_PROBE),
  renewProbe: defineScript('turnpikeRenewProbe', 1, RENEW_PROBE),
  endProbe: defineScript('turnpikeEndProbe', 1, END_PROBE),
  answered: defineScript('turnpikeUpstreamAnswered', 1, ANSWERED),
}

/** For a worker process; `worker` is its name among them. */
export function upstreamHealth(redis: RedisConnection, worker: string): UpstreamHealth {
  const { open, startProbe, renewProbe, endProbe, answered } = runnable(redis, SCRIPTS)

  return {
    async open(target, { code, leastMs, mostMs, failingForMs }) {
      const [status, forMs = '0'] = (await open(
        [KEY],
        [fieldOf(target), target.of, code, Math.ceil(leastMs), Math.ceil(mostMs), Math.ceil(failingForMs), worker],
      )) as string[]
      return status === 'open' ? { status, forMs: Number(forMs) } : { status: 'answers_others' }
    },
    async startProbe(target, probe, leaseMs) {
      const [status, forMs = '0'] = (await startProbe([KEY], [fieldOf(target), probe, leaseMs])) as string[]
      if (status === 'wait') return { status, forMs: Number(forMs) }
      return { status: status === 'started' ? 'started' : 'closed' }
    },
    async renewProbe(target, probe, leaseMs) {
      await renewProbe([KEY], [fieldOf(target), probe, leaseMs])
    },
    async endProbe(target, probe) {
      await endProbe([KEY], [fieldOf(target), probe])
    },
    async answered(target) {
      await answered([KEY], [fieldOf(target), worker])
    },
  }
}

const READING_SCRIPTS = {
  closedTargets: defineScript('turnpikeClosedUpstreams', 1, CLOSED_TARGETS),
}

/** For a gateway: the targets that are not to be sold now, in one trip. */
export function closedUpstreams(redis: RedisConnection): () => Promise<ClosedTarget[]> {
  const { closedTargets } = runnable(redis, READING_SCRIPTS)
  return async () => {
    const rows = (await closedTargets([KEY], [])) as [string, string, string, string][]
    return rows.map(([field, of, code, forMs]) => {
      const at = field.lastIndexOf('#')
      return {
        model: field.slice(0, at),
        index: Number(field.slice(at + 1)),
        of: Number(of),
        code: code === 'provider_overloaded' ? code : 'provider_unavailable',
        forMs: Number(forMs),
      }
    })
  }
}

function fieldOf({ model, index }: UpstreamTarget): string {
  return `${model}#${index}`
}
