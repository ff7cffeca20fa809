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
import type { Guards } from '../wire/guards.ts'
import { type LedgerRole, ledgerDatabaseUrl } from './ledger-database.ts'
import type { ServiceName } from './service-names.ts'

/** What the sandbox takes for its upstreams' keys; a real key never reaches it. */
export const sandboxKey = 'sandbox'

/** Where every part and every service is, known before anything is started. */
export interface Wiring {
  readonly settings: Settings
  readonly identity: Identity
  readonly ports: PortBook
  readonly home: Home
  /** As the owner of the tables. */
  readonly databaseUrl: string
  /** As the ledger connects. */
  readonly ledgerDatabaseUrl: string
  readonly redisUrl: string
  readonly brokers: readonly string[]
  readonly s3: S3Address
  /** Undefined where the stack's connections are plain. */
  readonly guards: Guards | undefined
  readonly chain: { readonly rpcUrl: string; readonly chainId: number; readonly usdc: `0x${string}` }
  readonly facilitatorUrl: string
  readonly payTo: string
  readonly gemini: Upstream
  readonly elevenlabs: Upstream
  readonly sandboxAdminUrl: string | undefined
  readonly ledgerUrls: readonly string[]
  readonly gatewayUrls: readonly string[]
}

export function wire(
  settings: Settings,
  home: Home,
  identity: Identity,
  ports: PortBook,
  ledgerRole: LedgerRole = 'own',
  guards?: Guards,
): Wiring {
  const { yours } = settings
  const at = (name: string, scheme = 'http') => `${scheme}://127.0.0.1:${portOf(ports, name)}`
  const ownScheme = guards === undefined ? 'http' : 'https'
  const site = (name: string) => siteOf(home, ports, name, guards)
  const sandboxed = (name: string): Upstream => ({ baseUrl: at(name), apiKey: sandboxKey })
  const databaseUrl = yours.databaseUrl ?? postgres.address(site('postgres')).url
  return {
    settings,
    identity,
    ports,
    home,
    databaseUrl,
    ledgerDatabaseUrl: ledgerDatabaseUrl(databaseUrl, home, ledgerRole),
    redisUrl: yours.redisUrl ?? redis.address(site('redis')).url,
    brokers: yours.kafkaBrokers ?? kafka.address(site('kafka')).brokers,
    s3: yours.s3 ?? s3.address(site('s3')),
    guards,
    chain: { rpcUrl: yours.chainRpcUrl ?? at('chain'), chainId, usdc: usdcAddress },
    facilitatorUrl: yours.facilitatorUrl ?? at('facilitator', ownScheme),
    payTo: yours.payTo ?? identity.payTo.address,
    gemini: yours.gemini ?? sandboxed('sandbox-gemini'),
    elevenlabs: yours.elevenlabs ?? sandboxed('sandbox-elevenlabs'),
    sandboxAdminUrl: yours.gemini !== undefined && yours.elevenlabs !== undefined ? undefined : at('sandbox-admin'),
    ledgerUrls: replicasOf(settings, 'ledger').map((replica) => at(internalPortName('ledger', replica), ownScheme)),
    gatewayUrls: replicasOf(settings, 'gateway').map((replica) =>
      replica === 0 ? `http://127.0.0.1:${settings.port}` : at(publicPortName('gateway', replica)),
    ),
  }
}

export function siteOf(home: Home, ports: PortBook, name: string, guards?: Guards): Site {
  const guard = guards?.credentials[name as keyof Guards['credentials']]
  const site = { dir: home.dataOf(name), port: portOf(ports, name), sidePort: ports[`${name}-side`] ?? 0 }
  return guard === undefined ? site : { ...site, guard }
}

export function replicasOf(settings: Settings, name: ServiceName): number[] {
  return Array.from({ length: settings.replicas[name] }, (_, replica) => replica)
}

export function internalPortName(name: string, replica: number): string {
  return `${name}-${replica}-internal`
}

export function publicPortName(name: string, replica: number): string {
  return `${name}-${replica}`
}
