import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import type { Home } from '../home.ts'
import { keptSecret } from '../parts/secret-file.ts'

/** `own`: the ledger gets a role of its own, which the migration makes. `owner`: it connects as the owner of its tables. */
export type LedgerRole = 'own' | 'owner'

const connectTimeoutMs = 5_000
// Postgres cuts a name at 63 bytes, and two that are cut alike would be one.
const longestPrefix = 50

/** A Postgres of yours may not let us make a role. One that does not answer is for the migration to report. */
export async function ledgerRoleIn(yourDatabaseUrl: string | undefined): Promise<LedgerRole> {
  if (yourDatabaseUrl === undefined) return 'own'
  const client = new Client({ connectionString: yourDatabaseUrl, connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = current_user AND (rolcreaterole OR rolsuper)')
    return rowCount === 1 ? 'own' : 'owner'
  } catch {
    return 'own'
  } finally {
    await client.end().catch(() => {})
  }
}

/** The same database as the ledger's role; its password is made here and kept in the home. */
export function ledgerDatabaseUrl(ownerUrl: string, home: Home, role: LedgerRole): string {
  if (role === 'owner') return ownerUrl
  const url = new URL(ownerUrl)
  const database = decodeURIComponent(url.pathname.slice(1)) || 'turnpike'
  url.username = encodeURIComponent(`${database.slice(0, longestPrefix)}_ledger`)
  url.password = keptSecret(join(home.dataOf('ledger-role'), 'password.json'), () => randomBytes(24).toString('base64url'))
  return url.href
}
