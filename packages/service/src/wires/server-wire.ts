import { type Config, ConfigError, optional } from '../config.ts'
import { certificates, privateKey } from './pem.ts'

/** For a service that other services call; spread into its own table. Unset, it speaks plain HTTP: behind a NetworkPolicy, or a mesh. */
export const SERVER_VARIABLES = {
  serverTlsCert: optional(certificates('SERVER_TLS_CERT')),
  serverTlsKey: optional(privateKey('SERVER_TLS_KEY')),
}

export type ServerWire = { cert: string; key: string } | undefined

/** Throws ConfigError when one goes without the other. */
export function serverWire(service: string, config: Config<typeof SERVER_VARIABLES>): ServerWire {
  const { serverTlsCert: cert, serverTlsKey: key } = config
  if (cert !== undefined && key !== undefined) return { cert, key }
  if (cert !== undefined || key !== undefined) throw new ConfigError(service, ['SERVER_TLS_CERT and SERVER_TLS_KEY go together'])
  return undefined
}
