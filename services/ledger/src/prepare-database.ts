import { join } from 'node:path'
import { databaseWire } from '@turnpike/service'
import { Client } from 'pg'
import { applyMigrations } from './apply-migrations.ts'
import { grantServiceRights } from './service-rights.ts'
import { ensurePassword, ensureServiceRole, roleOf } from './service-role.ts'

const CONNECT_TIMEOUT_MS = 10_000
export const MIGRATIONS = join(import.meta.dirname, '../prisma/migrations')

export type Prepared = {
  applied: readonly string[]
  /**
   * `granted`: the ledger's role has its rights. `owner`: the ledger connects as the owner, only triggers keep it from changing receipts.
   * `ahead`: a newer release has been here and its rights stand.
   */
  role: 'granted' | 'owner' | 'ahead'
}

/**
 * Brings a fresh or an existing database up to date as its owner, and gives the role of `serviceUrl` the rights of the ledger. Running
 * it again changes nothing. Throws RoleUnfit where an operator has to decide.
 */
export async function prepareDatabase(options: {
  ownerUrl: string
  serviceUrl: string
  /** PEM of the only authority that is trusted for Postgres. */
  tlsCa?: string | undefined
}): Promise<Prepared> {
  const { ownerUrl, serviceUrl, tlsCa } = options
  const wire = databaseWire('ledger migrations', { url: ownerUrl, tlsCa, urlName: 'MIGRATION_DATABASE_URL' })
  const owner = new Client({ ...wire, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  await owner.connect()
  try {
    return await applyMigrations(owner, MIGRATIONS, async ({ applied, isAhead }): Promise<Prepared> => {
      const role = roleOf(serviceUrl)
      const { rows } = await owner.query<{ name: string }>('SELECT current_user AS name')
      if (role === undefined || role.name === rows[0]?.name) return { applied, role: 'owner' }
      await ensureServiceRole(owner, role)
      if (!isAhead) await grantServiceRights(owner, role.name)
      await ensurePassword(owner, databaseWire('ledger migrations', { url: serviceUrl, tlsCa }), role)
      return { applied, role: isAhead ? 'ahead' : 'granted' }
    })
  } finally {
    await owner.end()
  }
}
