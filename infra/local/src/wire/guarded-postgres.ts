import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Credentials, credentialFiles } from './authority.ts'

/** Settings on top of the plain ones: nobody gets in without TLS, and everybody needs a password. */
export function guardedPostgresSettings(dir: string, guard: Credentials): Record<string, string> {
  const files = credentialFiles(join(dir, 'tls'), guard)
  const rules = join(dir, 'pg_hba.conf')
  writeFileSync(rules, 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  return { ssl: 'on', ssl_cert_file: files.cert, ssl_key_file: files.key, ssl_min_protocol_version: 'TLSv1.2', hba_file: rules }
}
