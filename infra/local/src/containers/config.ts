/** How parts that are started alone are run: as processes of this machine, or as containers. */
export type PartsKind = 'processes' | 'containers'

export function partsKind(env: NodeJS.ProcessEnv): PartsKind {
  const kind = env.TURNPIKE_PARTS || 'processes'
  if (kind !== 'processes' && kind !== 'containers')
    throw new Error(`TURNPIKE_PARTS is "${kind}"; it takes processes or containers.`)
  return kind
}

export interface ContainerConfig {
  /** The same variables as compose.yaml has. */
  readonly images: {
    readonly kafka: string
    readonly postgres: string
    readonly redis: string
    readonly s3: string
    readonly chain: string
  }
  /** Marks the containers of one test run, so that its end can take away what a test left behind. */
  readonly run: string
}

export function containerConfig(env: NodeJS.ProcessEnv): ContainerConfig {
  return {
    images: {
      kafka: env.KAFKA_IMAGE || 'apache/kafka:4.3.1',
      postgres: env.POSTGRES_IMAGE || 'postgres:18-bookworm',
      redis: env.REDIS_IMAGE || 'redis:7-bookworm',
      s3: env.S3_IMAGE || 'versity/versitygw:v1.8.0',
      chain: env.LOCAL_IMAGE || 'turnpike/local:dev',
    },
    run: env.TURNPIKE_RUN || 'none',
  }
}
