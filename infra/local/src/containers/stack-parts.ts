import { join } from 'node:path'
import { startPart } from '../parts/start-part.ts'
import { partsKind } from './config.ts'

/** What a stack can be given; the chain is always its own. */
export type GivenPart = 'kafka' | 'postgres' | 'redis' | 's3'

export interface StackParts {
  /** For startStack: where what runs in containers is. Nothing when the stack is to start everything itself. */
  readonly env: Readonly<Record<string, string>>
  /** Of what runs in containers: the first process of each, as this machine sees it. */
  readonly pids: Readonly<Partial<Record<GivenPart, number>>>
  stop(): Promise<void>
}

/**
 * What a stack needs, in containers when TURNPIKE_PARTS asks for them: the stack then takes them as dependencies of yours. The chain stays
 * a process of the stack, which knows no account on a chain that it did not start.
 */
export async function startStackParts(dir: string): Promise<StackParts> {
  if (partsKind(process.env) === 'processes') return { env: {}, pids: {}, stop: async () => {} }
  const [kafka, postgres, redis, s3] = await Promise.all([
    startPart('kafka', { dir: partFolder(dir, 'kafka') }),
    startPart('postgres', { dir: partFolder(dir, 'postgres') }),
    startPart('redis', { dir: partFolder(dir, 'redis') }),
    startPart('s3', { dir: partFolder(dir, 's3') }),
  ])
  return {
    env: {
      KAFKA_BROKERS: kafka.brokers.join(','),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
    pids: { kafka: kafka.pid, postgres: postgres.pid, redis: redis.pid, s3: s3.pid },
    stop: async () => {
      await Promise.all([kafka, postgres, redis, s3].map((part) => part.stop()))
    },
  }
}

/** Where a part of a stack on such parts keeps its data: for a test that looks at what is stored, or takes some of it away. */
export function partFolder(dir: string, part: GivenPart): string {
  return partsKind(process.env) === 'containers' ? join(dir, `container-${part}`) : join(dir, 'data', part)
}
