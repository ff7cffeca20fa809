import { join } from 'node:path'
import { partsKind } from '../containers/config.ts'
import { freePort } from '../free-port.ts'
import type { Credentials } from '../wire/authority.ts'
import { type ChainAddress, chainPart } from './chain.ts'
import { type KafkaAddress, kafka } from './kafka.ts'
import type { Part, Site } from './part.ts'
import { type PostgresAddress, postgres } from './postgres.ts'
import { type RedisAddress, redis } from './redis.ts'
import { type S3Address, s3 } from './s3.ts'
import { startAndWait } from './start-process.ts'

/** What clients of each part need to reach it. */
export interface AddressByPart {
  readonly redis: RedisAddress
  readonly postgres: PostgresAddress
  readonly kafka: KafkaAddress
  readonly s3: S3Address
  readonly chain: ChainAddress
}

export interface StartPartOptions {
  /** Everything that the part keeps; the same folder again gives the same data. */
  readonly dir: string
  /** A free one by default. Give the old one to come back where clients look for it. */
  readonly port?: number
  /** As in Site; a free one by default. */
  readonly sidePort?: number
  /** The chain only: seconds per block; mined at once by default. */
  readonly blockTimeSeconds?: number
  /** As in Site. */
  readonly host?: string
  readonly isClusterNode?: boolean
  readonly guard?: Credentials
  readonly signal?: AbortSignal
}

export interface PartHandle {
  readonly pid: number
  readonly port: number
  readonly sidePort: number
  readonly dir: string
  readonly logFile: string
  /** In an orderly way; returns when nothing of it runs. */
  stop(): Promise<void>
  /** SIGKILL, to everything that belongs to it; returns when nothing of it runs. */
  kill(): Promise<void>
}

/**
 * Starts one part alone, in front of nothing, for a test that needs it. It ends with the process that started it.
 * TURNPIKE_PARTS=containers runs it in a container instead. What only our own programs are set up for (TLS, a cluster, another address)
 * stays a process.
 */
export async function startPart<Name extends keyof AddressByPart>(
  name: Name,
  options: StartPartOptions,
): Promise<AddressByPart[Name] & PartHandle> {
  const parts: { [Each in keyof AddressByPart]: Part<never, AddressByPart[Each]> } = {
    redis: redis as Part<never, RedisAddress>,
    postgres: postgres as Part<never, PostgresAddress>,
    kafka: kafka as Part<never, KafkaAddress>,
    s3: s3 as Part<never, S3Address>,
    chain: chainPart({ blockTimeSeconds: options.blockTimeSeconds }) as Part<never, ChainAddress>,
  }
  const { host, isClusterNode, guard } = options
  const isPlain = host === undefined && isClusterNode === undefined && guard === undefined
  if (!isPlain || partsKind(process.env) === 'processes') return await start(parts[name], options)
  // Loaded for those only who ask for it: nobody else needs Docker, nor the second that its client takes to load.
  const { startContainer } = await import('../containers/start-container.ts')
  return await startContainer(parts[name], options)
}

/** Without what is absent. */
function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }
}

async function start<Software, Address>(part: Part<Software, Address>, options: StartPartOptions): Promise<Address & PartHandle> {
  const signal = options.signal ?? new AbortController().signal
  const software = await part.obtain({ signal, say: () => {} })
  const port = options.port ?? (await freePort())
  const { dir, host, isClusterNode, guard } = options
  const site: Site = {
    dir,
    port,
    sidePort: options.sidePort ?? (await freePort(new Set([port]))),
    ...given({ host, isClusterNode, guard }),
  }
  await part.prepare(software, site)
  const logFile = join(options.dir, `${part.name}.log`)
  const running = await startAndWait({
    title: part.name,
    command: part.command(software, site),
    logFile,
    answers: () => part.answers(site),
    readyTimeoutMs: part.readyTimeoutMs,
    signal,
  })
  await part.fill(site, () => {})
  return {
    ...part.address(site),
    pid: running.pid,
    port: site.port,
    sidePort: site.sidePort,
    dir: options.dir,
    logFile,
    stop: async () => {
      await running.stop(8_000)
    },
    kill: () => running.kill(),
  }
}
