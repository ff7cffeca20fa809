import { join } from 'node:path'

/** The environment of the programs of the `local` image: the only place that names it. */
export interface LocalConfig {
  readonly keysFolder: string
  readonly stateFolder: string
  readonly anvil: string
  readonly port: number
  readonly internalPort: number
  readonly blockTimeSeconds: number | undefined
  readonly s3Endpoint: string
  readonly gatewayUrl: string
}

export function localConfig(env: NodeJS.ProcessEnv): LocalConfig {
  return {
    keysFolder: env.KEYS_DIR || '/keys',
    stateFolder: env.STATE_DIR || '/data',
    anvil: env.ANVIL || 'anvil',
    port: Number(env.PORT || 8545),
    internalPort: Number(env.INTERNAL_PORT || 9402),
    blockTimeSeconds: env.BLOCK_TIME ? Number(env.BLOCK_TIME) : undefined,
    s3Endpoint: env.S3_ENDPOINT || 'http://s3:7070',
    gatewayUrl: env.GATEWAY_URL || 'http://gateway:8402',
  }
}

export function keyFile(config: LocalConfig, name: string): string {
  return join(config.keysFolder, name)
}
