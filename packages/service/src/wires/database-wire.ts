import { ConfigError } from '../config.ts'

export type DatabaseWire = {
  /** Without the settings of TLS, which the driver would prefer to those given beside it. */
  connectionString: string
  /** Always with the name or address checked: what libpq calls verify-full. */
  ssl?: { ca?: string; rejectUnauthorized: true; host: string }
}

const TLS_MODES = ['require', 'verify-ca', 'verify-full']
const OTHER_SETTINGS = ['ssl', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat']

/**
 * How to reach Postgres by a URL with libpq's `sslmode` and an authority of its own, which turns TLS on by itself. There is no mode that
 * encrypts without asking who is there, nor one that gives up quietly. Throws ConfigError, which names the variables.
 */
export function databaseWire(
  service: string,
  options: { url: string; tlsCa: string | undefined; urlName?: string },
): DatabaseWire {
  const { tlsCa: ca, urlName = 'DATABASE_URL' } = options
  const url = new URL(options.url)
  const mode = url.searchParams.get('sslmode')
  const strangers = OTHER_SETTINGS.filter((name) => url.searchParams.has(name))
  const problems = [
    mode !== null &&
      mode !== 'disable' &&
      !TLS_MODES.includes(mode) &&
      `${urlName} has sslmode=${mode.slice(0, 32)}: disable and verify-full are what there is (require means verify-full)`,
    mode === 'disable' && ca !== undefined && `${urlName} has sslmode=disable, and DATABASE_TLS_CA is set`,
    strangers.length > 0 && `${urlName} has ${strangers.join(', ')}: the authority goes into DATABASE_TLS_CA`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new ConfigError(service, problems)
  url.searchParams.delete('sslmode')
  const isTls = ca !== undefined || TLS_MODES.includes(mode ?? '')
  // The driver asks for a name of the certificate only; for an address it would compare with "localhost".
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return {
    connectionString: url.href,
    ...(isTls ? { ssl: { ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true, host } } : {}),
  }
}
