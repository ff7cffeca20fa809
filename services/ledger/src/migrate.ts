import { certificates, loadConfig, optional, runService, url } from '@turnpike/service'
import { type Prepared, prepareDatabase } from './prepare-database.ts'

const protocols = ['postgres:', 'postgresql:']
const CONFIG = {
  /** As the ledger connects: its role gets the rights that the ledger needs. */
  databaseUrl: url('DATABASE_URL', { protocols }),
  /** As the owner of the tables; straight to Postgres, not through a pooler. */
  migrationDatabaseUrl: optional(url('MIGRATION_DATABASE_URL', { protocols })),
  /** For both. */
  databaseTlsCa: optional(certificates('DATABASE_TLS_CA')),
}

const SENTENCES: Record<Prepared['role'], string> = {
  granted: 'the role of DATABASE_URL may do what the ledger does and no more',
  owner:
    'the ledger connects as the owner of its tables, so only triggers keep receipts as they are: name the owner in MIGRATION_DATABASE_URL and another role in DATABASE_URL',
  ahead: 'a newer release has migrated this database, its rights stand',
}

// node services/ledger/src/migrate.ts: brings a fresh or an existing database up to date.
runService(async () => {
  const { databaseUrl, migrationDatabaseUrl, databaseTlsCa: tlsCa } = loadConfig('ledger migrations', CONFIG, process.env)
  const { applied, role } = await prepareDatabase({
    ownerUrl: migrationDatabaseUrl ?? databaseUrl,
    serviceUrl: databaseUrl,
    tlsCa,
  })
  for (const name of applied) process.stdout.write(`applied ${name}\n`)
  process.stdout.write(`${SENTENCES[role]}\nthe database is up to date\n`)
})
