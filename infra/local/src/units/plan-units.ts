import { chainPart } from '../parts/chain.ts'
import { kafka } from '../parts/kafka.ts'
import { postgres } from '../parts/postgres.ts'
import { redis } from '../parts/redis.ts'
import { makeBucket, s3 } from '../parts/s3.ts'
import { portOf } from '../port-book.ts'
import { databaseCa, facilitatorToken, serverFiles } from './guarded-environment.ts'
import { fundAccounts, keepingWholeState } from './local-accounts.ts'
import { type NodeProgram, nodeUnit } from './node-unit.ts'
import { partUnit, yourUnit } from './part-unit.ts'
import { services } from './services.ts'
import { makeTopicsInYours } from './topics-in-yours.ts'
import type { Unit } from './unit.ts'
import { internalPortName, replicasOf, sandboxKey, siteOf, type Wiring } from './wiring.ts'

/** Everything that this stack consists of, in the order in which it is listed. */
export function planUnits(wiring: Wiring): Unit[] {
  return [...dataUnits(wiring), ...chainUnits(wiring), ...sandboxUnits(wiring), migration(wiring), ...serviceUnits(wiring)]
}

function dataUnits(wiring: Wiring): Unit[] {
  const { settings, home, ports } = wiring
  const { databaseUrl, redisUrl, kafkaBrokers, s3: yourS3 } = settings.yours
  const site = (name: string) => siteOf(home, ports, name, wiring.guards)
  return [
    kafkaBrokers === undefined
      ? partUnit(kafka, site('kafka'), { stopRank: 2 })
      : yourUnit('kafka', kafkaBrokers.join(','), (say) => makeTopicsInYours(kafkaBrokers, home, say)),
    databaseUrl === undefined
      ? partUnit(postgres, site('postgres'), { stopRank: 2 })
      : yourUnit('postgres', new URL(databaseUrl).host, async () => {}),
    redisUrl === undefined
      ? partUnit(redis, site('redis'), { stopRank: 2 })
      : yourUnit('redis', new URL(redisUrl).host, async () => {}),
    yourS3 === undefined
      ? partUnit(s3, site('s3'), { stopRank: 2 })
      : yourUnit('s3', yourS3.endpoint, (say) => makeBucket(yourS3, say)),
  ]
}

function chainUnits(wiring: Wiring): Unit[] {
  const { settings, home, ports, identity, chain, facilitatorUrl, payTo } = wiring
  const site = siteOf(home, ports, 'chain')
  const keepWhole = keepingWholeState(site)
  const internalUrl = `http://127.0.0.1:${portOf(ports, 'facilitator-internal')}`
  return [
    settings.yours.chainRpcUrl === undefined
      ? partUnit(chainPart({ blockTimeSeconds: settings.blockTimeSeconds }), site, {
          stopRank: 1,
          afterFill: async () => {
            await fundAccounts(chain.rpcUrl, identity)
            keepWhole()
          },
        })
      : yourUnit('chain', new URL(chain.rpcUrl).host, async () => {}),
    settings.yours.facilitatorUrl === undefined
      ? nodeUnit({
          ...{ name: 'facilitator', replica: 0, kind: 'managed', needs: ['chain'], stopRank: 3, where: facilitatorUrl },
          main: 'services/facilitator/src/main.ts',
          internalUrl,
          readyUrl: `${internalUrl}/readyz`,
          env: {
            ...common(),
            PORT: String(portOf(ports, 'facilitator')),
            INTERNAL_PORT: String(portOf(ports, 'facilitator-internal')),
            CHAIN_RPC_URL: chain.rpcUrl,
            SIGNER_PRIVATE_KEY: identity.signer.privateKey,
            PAY_TO: payTo,
            ...facilitatorToken(wiring),
            ...serverFiles(wiring, 'facilitator'),
          },
        })
      : yourUnit('facilitator', new URL(facilitatorUrl).host, async () => {}),
  ]
}

/** Stands in for every upstream without a key of yours. */
function sandboxUnits({ sandboxAdminUrl, ports, home }: Wiring): Unit[] {
  if (sandboxAdminUrl === undefined) return []
  return [
    nodeUnit({
      ...{ name: 'sandbox', replica: 0, kind: 'infrastructure', needs: [], stopRank: 3, where: `admin ${sandboxAdminUrl}` },
      main: 'infra/sandbox/src/main.ts',
      readyUrl: `${sandboxAdminUrl}/healthz`,
      env: {
        HOST: '127.0.0.1',
        GEMINI_API_KEY: sandboxKey,
        ELEVENLABS_API_KEY: sandboxKey,
        GEMINI_PORT: String(portOf(ports, 'sandbox-gemini')),
        ELEVENLABS_PORT: String(portOf(ports, 'sandbox-elevenlabs')),
        ADMIN_PORT: String(portOf(ports, 'sandbox-admin')),
        STATE_DIR: home.dataOf('sandbox'),
      },
    }),
  ]
}

function migration({ databaseUrl, ledgerDatabaseUrl, guards }: Wiring): Unit {
  return nodeUnit({
    ...{
      name: 'ledger-migrate',
      replica: 0,
      kind: 'task',
      needs: ['postgres'],
      stopRank: 4,
      where: 'the database is up to date',
    },
    main: 'services/ledger/src/migrate.ts',
    env: { ...common(), MIGRATION_DATABASE_URL: databaseUrl, DATABASE_URL: ledgerDatabaseUrl, ...databaseCa(guards) },
  })
}

function serviceUnits(wiring: Wiring): Unit[] {
  const { ports, gatewayUrls, settings, guards } = wiring
  return services.flatMap(({ name, hasPublicPort, needs, stopRank, env }) =>
    replicasOf(settings, name).map((replica) => {
      const internalPort = portOf(ports, internalPortName(name, replica))
      const scheme = guards !== undefined && name === 'ledger' ? 'https' : 'http'
      const internalUrl = `${scheme}://127.0.0.1:${internalPort}`
      const publicUrl = hasPublicPort ? gatewayUrls[replica] : undefined
      const program: NodeProgram = {
        ...{ name, replica, kind: 'service', needs, stopRank, internalUrl, where: publicUrl ?? internalUrl },
        main: `services/${name}/src/main.ts`,
        readyUrl: `${publicUrl ?? internalUrl}/readyz`,
        ca: guards?.credentials.ledger.ca,
        env: {
          ...common(),
          ...env(wiring),
          INTERNAL_PORT: String(internalPort),
          ...(publicUrl === undefined ? {} : { PORT: new URL(publicUrl).port }),
        },
      }
      return nodeUnit(program)
    }),
  )
}

function common(): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    NODE_ENV: process.env.NODE_ENV || 'production',
    LOG_FORMAT: process.env.LOG_FORMAT || 'json',
    LOG_LEVEL: process.env.LOG_LEVEL || 'info',
  }
}
