import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'

// Prisma's own bookkeeping and advisory lock, without its engine: `prisma migrate deploy` can go on where this stopped.
const PRISMA_LOCK = 72_707_369
const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id                  VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum            VARCHAR(64) NOT NULL,
  finished_at         TIMESTAMPTZ,
  migration_name      VARCHAR(255) NOT NULL,
  logs                TEXT,
  rolled_back_at      TIMESTAMPTZ,
  started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

export type Applied = {
  applied: readonly string[]
  /** The database knows migrations that the folder does not have: a newer release's. */
  isAhead: boolean
}

type Migration = { name: string; checksum: string; sql: string }

/**
 * Brings the database up to the newest migration of the folder and returns what `then` makes of the names of those that it applied;
 * nobody else migrates meanwhile. Each is one transaction together with its bookkeeping row, so a crash leaves it undone. Migrations
 * that only the database knows are a newer release's and are left alone; one that was edited after it was applied is an error.
 */
export async function applyMigrations<Result>(
  client: Client,
  folder: string,
  then: (done: Applied) => Promise<Result>,
): Promise<Result> {
  const migrations = await readMigrations(folder)
  await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK])
  try {
    await client.query(BOOKKEEPING)
    const applied = await readApplied(client)
    const names: string[] = []
    for (const migration of migrations) {
      const checksum = applied.get(migration.name)
      if (checksum === migration.checksum) continue
      if (checksum !== undefined) throw new Error(`migration ${migration.name} was changed after it was applied`)
      await apply(client, migration)
      names.push(migration.name)
    }
    const known = new Set(migrations.map(({ name }) => name))
    return await then({ applied: names, isAhead: [...applied.keys()].some((name) => !known.has(name)) })
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [PRISMA_LOCK])
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function readApplied(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  )
  const unfinished = rows.find((row) => row.finished_at === null)
  if (unfinished !== undefined) throw new Error(`migration ${unfinished.migration_name} was started and never finished`)
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

async function apply(client: Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new Error(`migration ${name} failed`, { cause: error })
  }
}
