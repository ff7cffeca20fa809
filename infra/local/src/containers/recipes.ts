import { restoreState } from '../parts/chain.ts'
import { chainId } from '../parts/chain-client.ts'
import { propertiesOf } from '../parts/kafka.ts'
import type { PartName, Site } from '../parts/part.ts'
import { postgres, settings as postgresSettings } from '../parts/postgres.ts'
import { s3 } from '../parts/s3.ts'

/** The folder inside of the container that is the part's own folder outside. */
export const inside = '/part'

/** How a part is run in a container of its usual image. Ports inside are those outside where the part tells its clients of them. */
export interface Recipe {
  /** Who the image's program runs as, and owns its folder; us when it takes any user. */
  readonly userId: number | 'ours'
  readonly port: (site: Site) => number
  readonly entrypoint?: (site: Site) => string[]
  readonly command?: (site: Site) => string[]
  readonly environment: (site: Site) => Record<string, string>
  /** Made in the part's folder before the start. */
  readonly folders?: readonly string[]
  /** What the part itself does to its folder before a start. */
  readonly beforeStart?: (site: Site) => void
  /** Written into the part's folder before the start. */
  readonly files?: (site: Site) => Record<string, string>
}

export const recipes: Readonly<Record<PartName, Recipe>> = {
  redis: {
    userId: 999,
    port: () => 6379,
    command: () => [
      ...['redis-server', '--dir', inside, '--protected-mode', 'no'],
      ...['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', '', '--maxmemory-policy', 'noeviction'],
    ],
    environment: () => ({}),
  },
  postgres: {
    userId: 999,
    port: () => 5432,
    command: () => [
      'postgres',
      ...Object.entries(postgresSettings)
        .filter(([name]) => name !== 'listen_addresses' && name !== 'unix_socket_directories')
        .flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    environment: (site) => {
      const { username, password } = new URL(postgres.address(site).url)
      return { POSTGRES_USER: username, POSTGRES_PASSWORD: password, POSTGRES_DB: 'postgres', PGDATA: `${inside}/data` }
    },
  },
  kafka: {
    userId: 1000,
    port: (site) => site.port,
    entrypoint: (site) => [
      'sh',
      '-c',
      // One more Java that only looks whether its work is done would double the time that a broker takes to come back.
      `[ -e ${inside}/data/meta.properties ] || /opt/kafka/bin/kafka-storage.sh format --cluster-id=${clusterId(site)} -c ${inside}/server.properties; exec /opt/kafka/bin/kafka-server-start.sh ${inside}/server.properties`,
    ],
    environment: () => ({
      KAFKA_HEAP_OPTS: '-Xms256m -Xmx256m',
      KAFKA_JVM_PERFORMANCE_OPTS: '-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xss512k',
      LOG_DIR: '/tmp/kafka-logs',
    }),
    files: (site) => ({
      'server.properties': propertiesOf({ ...site, dir: inside })
        // Clients are still told the address outside.
        .replace(/^listeners=PLAINTEXT:\/\/[^:]+:/m, 'listeners=PLAINTEXT://0.0.0.0:'),
    }),
  },
  s3: {
    userId: 'ours',
    folders: ['objects'],
    port: () => 7070,
    entrypoint: () => [
      'versitygw',
      '--port',
      ':7070',
      '--region',
      'us-east-1',
      '--health',
      '/healthz',
      'posix',
      `${inside}/objects`,
    ],
    environment: (site) => {
      const { accessKeyId, secretAccessKey } = s3.address(site)
      return { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey }
    },
  },
  chain: {
    userId: 'ours',
    beforeStart: restoreState,
    port: () => 8545,
    entrypoint: () => [
      ...['anvil', '--host', '0.0.0.0', '--port', '8545', '--chain-id', String(chainId), '--quiet'],
      ...['--accounts', '0', '--state', `${inside}/state.json`, '--state-interval', '1'],
    ],
    environment: () => ({ HOME: inside }),
  },
}

/** One that stays the same for a folder and needs no file: a name is not a secret. */
function clusterId(site: Site): string {
  return Buffer.from(site.dir.padStart(16, '0')).subarray(-16).toString('base64url').replaceAll('-', 'A')
}
