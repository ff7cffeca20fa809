import type { Principal } from './principals.ts'

export type RedisRight = {
  /** Key patterns, read and write. Every key of the product is under one of these. */
  keys: readonly string[]
  channels: readonly string[]
  /** Besides what every connection needs. What a script runs counts as run by its caller. */
  commands: readonly string[]
}

const CHANNEL = 'turnpike:moved'
/** To connect, to be asked whether one is there, and to find the nodes of a cluster. */
const CONNECTION = ['auth', 'hello', 'ping', 'info', 'client|setname', 'cluster|info', 'cluster|slots', 'select']
const SCRIPTS = ['eval', 'evalsha', 'time']
const CLAIMS = ['hget', 'hset', 'hdel', 'hincrby', 'hmget', 'zadd', 'zrem', 'zscore', 'zrangebyscore', 'pexpire']
const KEYS = { bindings: 'k:*', payers: ['p:*', 'pl:*', 'pa:*'], nonces: 'pn:*', totals: ['u:*', 'ul:*', 'ua:*'] }
const HEALTH = 'h:*'
const AUDIO = 'a:*'
const EXECUTIONS = 'x:*'

const WORKER: RedisRight = {
  keys: [EXECUTIONS, HEALTH],
  channels: [],
  commands: [...SCRIPTS, 'hget', 'hset', 'hincrby', 'hmget', 'pexpire'],
}

/** What each principal may do in Redis, all else being denied: no FLUSHALL, no KEYS, no CONFIG, nobody else's keys. */
export const REDIS_RIGHTS: Readonly<Partial<Record<Principal, RedisRight>>> = {
  gateway: {
    keys: [KEYS.bindings, ...KEYS.payers, KEYS.nonces, ...KEYS.totals, HEALTH, AUDIO],
    channels: [CHANNEL],
    commands: [...SCRIPTS, ...CLAIMS, 'hgetall', 'get', 'set', 'del', 'publish', 'subscribe', 'unsubscribe'],
  },
  'text-worker': WORKER,
  'media-worker': WORKER,
  'transcription-worker': { ...WORKER, keys: [...WORKER.keys, AUDIO], commands: [...WORKER.commands, 'get', 'set', 'del'] },
  ledger: { keys: [...KEYS.payers, ...KEYS.totals], channels: [CHANNEL], commands: [...SCRIPTS, ...CLAIMS, 'publish'] },
}

/** The words of `ACL SETUSER <name> on …` after the password: what `users.acl` and the managed services take. */
export function redisRules({ keys, channels, commands }: RedisRight): string[] {
  return [
    'resetkeys',
    ...keys.map((pattern) => `~${pattern}`),
    'resetchannels',
    ...channels.map((channel) => `&${channel}`),
    '-@all',
    ...[...CONNECTION, ...commands].map((command) => `+${command}`),
  ]
}
