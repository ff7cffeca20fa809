import { join } from 'node:path'
import { loadConfig, runService, url } from '@turnpike/service'
import { Client } from 'pg'
import { applyMigrations } from './apply-migrations.ts'

const CONNECT_TIMEOUT_MS = 10_000

// node services/ledger/src/migrate.ts: brings a fresh or an existing database up to date.
runService(async () => {
  const { databaseUrl } = loadConfig('ledger migrations', { databaseUrl: url('DATABASE_URL') }, process.env)
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  await client.connect()
  try {
    const applied = await applyMigrations(client, join(import.meta.dirname, '../prisma/migrations'))
    for (const name of applied) process.stdout.write(`applied ${name}\n`)
    process.stdout.write('the database is up to date\n')
  } finally {
    await client.end()
  }
})
