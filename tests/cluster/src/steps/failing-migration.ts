import { Client } from 'pg'
import type { Cluster } from '../cluster.ts'
import { merged, restarted } from '../install/values.ts'
import { type Step, timed } from './step.ts'
import { uids } from './upgrade.ts'

/**
 * The database holds a migration that is not the one of the image, which the migration refuses to go past. Helm stops there: no pod is
 * replaced and the old version serves on. Once the database is right again the same upgrade goes through.
 */
export const failingMigration: Step = {
  name: 'failing migration',
  repeats: 'none',
  async run(cluster, load) {
    const { helm, beside } = cluster
    const next = merged(cluster.values, restarted('migrated'), { migrations: { backoffLimit: 0 } })
    const before = await uids(cluster)
    const restore = await spoilLastMigration(beside)
    let stopped: Awaited<ReturnType<typeof helm.tryUpgrade>>
    try {
      stopped = await helm.tryUpgrade(next)
      await load.untilPaid(5)
    } finally {
      await restore()
    }
    if (stopped.status === 0) throw new Error('the upgrade went through although its migration failed')
    if (!/hook/.test(stopped.stderr)) throw new Error(`the upgrade failed for another reason: ${stopped.stderr.slice(-500)}`)
    const after = await uids(cluster)
    const isSame = before.size === after.size && [...after].every((uid) => before.has(uid))
    if (!isSame) throw new Error('pods were replaced although the migration failed')
    const { ms } = await timed(() => helm.upgrade(next))
    cluster.values = merged(cluster.values, restarted('migrated'))
    return { stoppedBy: 'pre-upgrade hook', podsKept: after.size, thenUpgradedSeconds: Math.round(ms / 100) / 10 }
  },
}

/** Returns what makes it right again. */
async function spoilLastMigration({ databaseUrl, guarded }: Cluster['beside']): Promise<() => Promise<void>> {
  const set = async (change: string, name?: string): Promise<{ name: string; checksum: string }> => {
    const ssl = guarded && { ca: guarded.guards.postgres.ca, host: new URL(databaseUrl).hostname }
    const client = new Client({ connectionString: databaseUrl, ssl })
    await client.connect()
    try {
      const { rows } = await client.query<{ migration_name: string; checksum: string }>(
        'SELECT migration_name, checksum FROM _prisma_migrations WHERE $1::text IS NULL OR migration_name = $1 ORDER BY migration_name DESC LIMIT 1',
        [name ?? null],
      )
      const [last] = rows
      if (last === undefined) throw new Error('no migration was ever applied')
      await client.query('UPDATE _prisma_migrations SET checksum = $1 WHERE migration_name = $2', [change, last.migration_name])
      return { name: last.migration_name, checksum: last.checksum }
    } finally {
      await client.end()
    }
  }
  const { name, checksum } = await set('0'.repeat(64))
  return async () => void (await set(checksum, name))
}
