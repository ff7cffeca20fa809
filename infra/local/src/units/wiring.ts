import type { Home } from '../home.ts'
import type { Identity } from '../identity.ts'
import { chainId, usdcAddress } from '../parts/chain-client.ts'
import { kafka } from '../parts/kafka.ts'
import type { Site } from '../parts/part.ts'
import { postgres } from '../parts/postgres.ts'
import { redis } from '../parts/redis.ts'
import { type S3Address, s3 } from '../parts/s3.ts'
import { type PortBook, portOf } from '../port-book.ts'
import type { Settings, Upstream } from '../settings.ts'
import { type ServiceName, services } from './services.ts'

/** What the sandbox takes for its upstreams' keys; a real key never reaches it. */
export const sandboxKey = 'sandbox'

/** Where every part and every service is, known before anything is started. */
export interface Wiring {
  readonly settings: Settings
  readonly identity: Identity
  readonly ports: PortBook
  readonly home: Home
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly brokers: readonly string[]
  readonly s3: S3Address
  readonly chain: { readonly rpcUrl: string; readonly chainId: number; readonly usdc: `0x${string}` }
  readonly facilitatorUrl: string
  readonly payTo: string
  readonly gemini: Upstream
  readonly elevenlabs: Upstream
  readonly sandboxAdminUrl: string | undefined
  readonly ledgerUrls: readonly string[]
  readonly gatewayUrls: readonly string[]
}

export function wire(settings: Settings, home: Home, identity: Identity, ports: PortBook): Wiring {
  const { yours } = settings
  const at = (name: string) => `http://127.0.0.1:${portOf(ports, name)}`
  const sandboxed = (name: string): Upstream => ({ baseUrl: at(name), apiKey: sandboxKey })
  return {
    settings,
    identity,
    ports,
    home,
    databaseUrl: yours.databaseUrl ?? postgres.address(siteOf(home, ports, 'postgres')).url,
    redisUrl: yours.redisUrl ?? redis.address(siteOf(home, ports, 'redis')).url,
    brokers: yours.kafkaBrokers ?? kafka.address(siteOf(home, ports, 'kafka')).brokers,
    s3: yours.s3 ?? s3.address(siteOf(home, ports, 's3')),
    chain: { rpcUrl: yours.chainRpcUrl ?? at('chain'), chainId, usdc: usdcAddress },
    facilitatorUrl: yours.facilitatorUrl ?? at('facilitator'),
    payTo: yours.payTo ?? identity.payTo.address,
    gemini: yours.gemini ?? sandboxed('sandbox-gemini'),
    elevenlabs: yours.elevenlabs ?? sandboxed('sandbox-elevenlabs'),
    sandboxAdminUrl: yours.gemini !== undefined && yours.elevenlabs !== undefined ? undefined : at('sandbox-admin'),
    ledgerUrls: replicasOf(settings, 'ledger').map((replica) => at(internalPortName('ledger', replica))),
    gatewayUrls: replicasOf(settings, 'gateway').map((replica) =>
      replica === 0 ? `http://127.0.0.1:${settings.port}` : at(publicPortName('gateway', replica)),
    ),
  }
}

/** Every port but the first gateway's, which is chosen by the user. */
export function portNames(settings: Settings): string[] {
  const fixed = ['redis', 'postgres', 'kafka', 'kafka-side', 's3', 'chain', 'facilitator', 'facilitator-internal']
  const sandbox = ['sandbox-gemini', 'sandbox-elevenlabs', 'sandbox-admin']
  const ofServices = services.flatMap(({ name, hasPublicPort }) =>
    replicasOf(settings, name).flatMap((replica) => [
      internalPortName(name, replica),
      ...(hasPublicPort && replica > 0 ? [publicPortName(name, replica)] : []),
    ]),
  )
  return [...fixed, ...sandbox, ...ofServices]
}

export function siteOf(home: Home, ports: PortBook, name: string): Site {
  return { dir: home.dataOf(name), port: portOf(ports, name), sidePort: ports[`${name}-side`] ?? 0 }
}

export function replicasOf(settings: Settings, name: ServiceName): number[] {
  return Array.from({ length: settings.replicas[name] }, (_, replica) => replica)
}

export function internalPortName(name: string, replica: number): string {
  return `${name}-${replica}-internal`
}

function publicPortName(name: string, replica: number): string {
  return `${name}-${replica}`
}
