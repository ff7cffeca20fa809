import { openRedis } from '@turnpike/admission'

/** What a paid request costs before its job is stored, and what all services ask of Redis for it. */
export type AdmissionCost = {
  /** The gateway's own figure: from the signed request that nobody knows to its job in Kafka. */
  meanAdmissionMs: number
  /** Commands and scripts that a service sent, not what scripts did inside. */
  redisCommandsPerRequest: Record<string, number>
  /** Network reads of Redis: commands that were sent together share one. */
  redisReadsPerRequest: number
}

type Commands = { sentBy: Record<string, number> }

/** Asked in the background, with or without a request. */
const BACKGROUND = new Set(['ping', 'info', 'client', 'hello', 'subscribe', 'monitor', 'auth', 'select'])
const CLOSED_MODELS_SCRIPT_KEY = 'h:{upstreams}'

/** Counts what each service sends to Redis while `work` runs. Redis reports every command then, which slows it: not for measured rounds. */
export async function countingCommands<T>(redisUrl: string, work: () => Promise<T>): Promise<{ result: T } & Commands> {
  const redis = openRedis(redisUrl, { name: 'bench', onError: () => {} })
  await new Promise((resolve) => redis.once('ready', resolve))
  const serviceAt = new Map<string, string>()
  for (const line of String(await redis.client('LIST')).split('\n')) {
    const [, address = '', name = ''] = /\baddr=(\S+) .*\bname=(\S*)/.exec(line) ?? []
    serviceAt.set(address, name.replace(/-releases$/, ''))
  }
  const monitor = await redis.monitor()
  const sentBy: Record<string, number> = {}
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const service = serviceAt.get(source)
    if (service === undefined || service === 'bench' || BACKGROUND.has((args[0] ?? '').toLowerCase())) return
    if (args.includes(CLOSED_MODELS_SCRIPT_KEY)) return
    sentBy[service] = (sentBy[service] ?? 0) + 1
  })
  try {
    return { result: await work(), sentBy }
  } finally {
    monitor.disconnect()
    redis.disconnect()
  }
}

export type Meter = { admissionSeconds: number; admissions: number; redisReads: number }

/** The running totals of our side. */
export async function readMeter(gatewayUrl: string, redisUrl: string): Promise<Meter> {
  const metrics = await (await fetch(`${gatewayUrl}/metrics`)).text()
  const redis = openRedis(redisUrl, { name: 'bench', onError: () => {} })
  await new Promise((resolve) => redis.once('ready', resolve))
  const stats = await redis.info('stats')
  redis.disconnect()
  return {
    admissionSeconds: figureIn(metrics, /^turnpike_admission_seconds_sum\{[^}]*\} (\S+)$/m),
    admissions: figureIn(metrics, /^turnpike_admission_seconds_count\{[^}]*\} (\S+)$/m),
    redisReads: figureIn(stats, /^total_reads_processed:(\d+)\r?$/m),
  }
}

export function admissionCost(before: Meter, after: Meter, commands: Commands, counted: number): AdmissionCost {
  const admissions = after.admissions - before.admissions
  return {
    meanAdmissionMs: ((after.admissionSeconds - before.admissionSeconds) / admissions) * 1_000,
    redisCommandsPerRequest: Object.fromEntries(
      Object.entries(commands.sentBy).map(([service, count]) => [service, count / counted]),
    ),
    redisReadsPerRequest: (after.redisReads - before.redisReads) / admissions,
  }
}

export function describeAdmission({ meanAdmissionMs, redisCommandsPerRequest, redisReadsPerRequest }: AdmissionCost): string {
  const services = Object.entries(redisCommandsPerRequest).sort(([, one], [, other]) => other - one)
  const all = services.reduce((sum, [, count]) => sum + count, 0)
  const each = services.map(([service, count]) => `${service} ${count.toFixed(1)}`).join(', ')
  return `admission ${meanAdmissionMs.toFixed(2)} ms mean; Redis commands per paid request ${all.toFixed(1)} (${each}), network reads ${redisReadsPerRequest.toFixed(1)}`
}

function figureIn(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern.source} is not among the figures`)
  return Number(found)
}
