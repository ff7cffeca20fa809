import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AddressByPart,
  connectChain,
  fundWallet,
  homeAt,
  type Identity,
  keptIdentity,
  mintUsdc,
  startPart,
  type Wallet,
} from '@turnpike/local'
import type { Sandbox } from '@turnpike/sandbox'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Guarded, WireGuards } from '../guarded/wire-guards.ts'
import { emptyTopics } from './empty-topics.ts'
import { startThread } from './start-thread.ts'

/** What an installation needs and does not bring: it runs beside the cluster, and every address is one that pods reach. */
export type Beside = {
  identity: Identity
  /** Of the facilitators, one for each. */
  signers: readonly Wallet[]
  brokers: readonly string[]
  /** As the owner of the database. */
  databaseUrl: string
  redisUrl: string
  s3: { endpoint: string; region: string; bucket: string; accessKeyId: string; secretAccessKey: string }
  rpcUrl: string
  usdc: `0x${string}`
  geminiUrl: string
  elevenlabsUrl: string
  sandboxAdminUrl: string
  ports: Readonly<Record<DependencyName, readonly number[]>>
  /** Undefined where every connection is plain. */
  guarded: Guarded | undefined
  fund(count: number, usdc: number): Promise<Wallet[]>
  stop(): Promise<void>
}
export type DependencyName = 'kafka' | 'postgres' | 'redis' | 's3' | 'chainRpc' | 'upstreams'

/** The sandbox takes these for its upstreams' keys. */
export const SANDBOX_KEY = 'sandbox-key-of-the-cluster-tests'

/** The installation's own check pays with this. */
const TEST_WALLET_ATOMIC = 5_000_000n

/** Starts fresh ones under `folder`; `host` is an address of this machine that pods reach. With guards they are reached by TLS and account alone. */
export async function startBeside(folder: string, host: string, guards?: WireGuards): Promise<Beside> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const toStop: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const each of toStop.splice(0).reverse()) await each()
  }
  const placed = (name: 'kafka' | 'postgres' | 'redis' | 's3') => ({
    dir: join(folder, name),
    ...(guards === undefined ? {} : { guard: guards[name] }),
  })
  const reached = (url: string) => url.replace('127.0.0.1', host)
  try {
    const identity = keptIdentity(homeAt(folder))
    const kafka = await startPart('kafka', { ...placed('kafka'), host })
    toStop.push(kafka.stop)
    const postgres = await startPart('postgres', placed('postgres'))
    toStop.push(postgres.stop)
    const redis = await startPart('redis', placed('redis'))
    toStop.push(redis.stop)
    const s3 = await startPart('s3', placed('s3'))
    toStop.push(s3.stop)
    const chain = await startPart('chain', { dir: join(folder, 'chain') })
    toStop.push(chain.stop)
    const ports = [postgres, redis, s3, chain].map(({ port }) => port)
    toStop.push((await startThread('./forward-thread.ts', { host, ports })).close)
    const vendors = await startThread<Pick<Sandbox, 'geminiUrl' | 'elevenlabsUrl' | 'adminUrl'>>('./sandbox-thread.ts', {
      ...{ host, geminiApiKey: SANDBOX_KEY, elevenlabsApiKey: SANDBOX_KEY },
    })
    toStop.push(vendors.close)
    const sandbox = vendors.ready
    const client = connectChain(chain.rpcUrl)
    const signers = [identity.signer, freshWallet()]
    for (const { address } of signers) await client.setBalance({ address, value: 10n ** 21n })
    await mintUsdc(client, identity.wallet.address, TEST_WALLET_ATOMIC)
    // The part makes the topics; here the installation shall.
    await emptyTopics(kafka)
    const portOf = (url: string) => Number(new URL(url).port)
    return {
      identity,
      signers,
      brokers: kafka.brokers,
      databaseUrl: reached(postgres.url),
      redisUrl: reached(redis.url),
      s3: { ...s3, endpoint: reached(s3.endpoint) },
      rpcUrl: reached(chain.rpcUrl),
      usdc: chain.usdc,
      geminiUrl: sandbox.geminiUrl,
      elevenlabsUrl: sandbox.elevenlabsUrl,
      sandboxAdminUrl: sandbox.adminUrl,
      ports: {
        kafka: [kafka.port],
        postgres: [postgres.port],
        redis: [redis.port],
        s3: [s3.port],
        chainRpc: [chain.port],
        upstreams: [portOf(sandbox.geminiUrl), portOf(sandbox.elevenlabsUrl)],
      },
      guarded: guards && { guards, passwords: { kafka: passwordsOf(kafka), redis: passwordsOf(redis), s3: passwordsOf(s3) } },
      fund: (count, usdc) => Promise.all(Array.from({ length: count }, () => fundWallet({ chain }, usdc))),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function passwordsOf({ guarded }: Pick<AddressByPart['kafka'], 'guarded'>): Guarded['passwords']['kafka'] {
  if (guarded === undefined) throw new Error('a part has no accounts although it is guarded')
  return guarded.passwords
}

function freshWallet(): Wallet {
  const privateKey = generatePrivateKey()
  return { address: privateKeyToAddress(privateKey), privateKey }
}
