import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, type PartHandle, startPart } from '@turnpike/local'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { mayChangeReceipts } from './own-rights.ts'
import { prepareDatabase } from './prepare-database.ts'
import { migrate, serviceUrlOf } from './testing/ledger-rig.ts'

let dir: string
let postgres: AddressByPart['postgres'] & PartHandle
let made = 0

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-role-'))
  postgres = await startPart('postgres', { dir })
})
afterAll(async () => {
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
})

async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
function as(url: string, change: { role?: string; password?: string; database?: string }): string {
  const changed = new URL(url)
  if (change.role !== undefined) changed.username = change.role
  if (change.password !== undefined) changed.password = change.password
  if (change.database !== undefined) changed.pathname = `/${change.database}`
  return changed.href
}
/** A database whose owner is an ordinary role, and the login that the ledger gets there. */
async function freshDatabase(ownersRights = 'CREATEROLE') {
  const name = `of_${made++}`
  await query(postgres.url, `CREATE ROLE ${name}_owner LOGIN ${ownersRights} PASSWORD 'owner'`)
  await query(postgres.url, `CREATE DATABASE ${name} OWNER ${name}_owner`)
  const ownerUrl = as(postgres.url, { role: `${name}_owner`, password: 'owner', database: name })
  return { ownerUrl, serviceUrl: as(serviceUrlOf(ownerUrl), { role: `${name}_ledger` }), role: `${name}_ledger` }
}
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => new Error('it was allowed'),
    (each: unknown) => each,
  )
  return (error as { code?: string }).code ?? String(error)
}

describe("the ledger's own role", () => {
  let ownerUrl: string
  let serviceUrl: string
  let role: string

  beforeAll(async () => {
    ;({ ownerUrl, serviceUrl, role } = await freshDatabase())
    await prepareDatabase({ ownerUrl, serviceUrl })
    await query(
      ownerUrl,
      `INSERT INTO payments (id, job_id, key_hash, payer, nonce, pay_to, amount_atomic, valid_before, state, block_at_start, next_check_at,
         transaction, settle_response)
       VALUES ('11111111-1111-4111-8111-111111111111', 'j', 'k', 'p', 'n', 't', 5, 1, 'settled', 1, now(), 'x', '{}');
       INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document)
       VALUES (gen_random_uuid(), 'j', '11111111-1111-4111-8111-111111111111', 'p', 'n', 'x', 5, '{}');
       INSERT INTO results (job_id, key_hash, content_type, body, sha256, bytes, usage, expires_at)
       VALUES ('j', 'k', 'application/json', 'x', 's', 1, '{}', now() + interval '7 days');
       INSERT INTO authorizations (payer, nonce, key_hash, fingerprint) VALUES ('p', 'n', 'k', 'f')`,
    )
  })

  it.each([
    "UPDATE receipts SET payer = 'q'",
    'UPDATE receipts SET amount_atomic = 1',
    'DELETE FROM receipts',
    'TRUNCATE receipts',
    'ALTER TABLE receipts DISABLE TRIGGER receipts_append_only',
    'ALTER TABLE receipts DISABLE TRIGGER ALL',
    'DROP TRIGGER receipts_append_only ON receipts',
    'ALTER TABLE receipts ADD COLUMN more text',
    'ALTER TABLE receipts RENAME TO old',
    'CREATE RULE quiet AS ON INSERT TO receipts DO INSTEAD NOTHING',
    'CREATE TRIGGER mine BEFORE INSERT ON receipts FOR EACH ROW EXECUTE FUNCTION refuse_change()',
    'CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$',
    'DROP TABLE receipts',
    'BEGIN; LOCK TABLE receipts IN ACCESS EXCLUSIVE MODE',
    'SET session_replication_role = replica',
    "INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document) SELECT gen_random_uuid(), 'i', gen_random_uuid(), 'p', 'm', 'x', 1, '{}'",
  ])('changes nothing about receipts: %s', async (sql) => {
    expect(await refusal(query(serviceUrl, sql))).toBe('42501')
    expect(await query(ownerUrl, 'SELECT payer, amount_atomic::int AS amount FROM receipts')).toEqual([{ payer: 'p', amount: 5 }])
  })

  it.each([
    'UPDATE payments SET amount_atomic = 1',
    "UPDATE payments SET state = 'void'",
    "UPDATE payments SET transaction = 'y'",
    "UPDATE payments SET settle_response = '{}'",
    'UPDATE payments SET block_at_start = 9',
    'DELETE FROM payments',
    'TRUNCATE payments',
    'DELETE FROM results',
    'UPDATE results SET expired = true',
    'DELETE FROM authorizations',
    "UPDATE authorizations SET key_hash = 'other'",
    "UPDATE idempotency_keys SET state = 'free'",
    'DELETE FROM idempotency_keys',
    'UPDATE jobs SET amount_atomic = 1',
    'DELETE FROM jobs',
    'SELECT * FROM _prisma_migrations',
    'CREATE TABLE mine (id int)',
    'CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    'CREATE SCHEMA mine',
    'CREATE ROLE mine',
  ])('does by hand nothing that the transitions do: %s', async (sql) => {
    expect(await refusal(query(serviceUrl, sql))).toBe('42501')
  })

  it('cannot become the owner or a superuser', async () => {
    for (const sql of [
      `SET ROLE "${role.replace('_ledger', '_owner')}"`,
      'SET ROLE turnpike',
      `ALTER ROLE "${role}" SUPERUSER`,
    ]) {
      expect(await refusal(query(serviceUrl, sql)), sql).toBe('42501')
    }
  })

  it('deletes no result that is still retrievable', async () => {
    await query(serviceUrl, "SELECT delete_expired_results('{j}')")
    expect(await query(ownerUrl, 'SELECT job_id FROM results')).toEqual([{ job_id: 'j' }])
  })

  it('is told by the service from a role that could change receipts', async () => {
    for (const [url, expected] of [
      [serviceUrl, false],
      [ownerUrl, true],
      [as(postgres.url, { database: new URL(ownerUrl).pathname.slice(1) }), true],
    ] as const) {
      const database = openDatabase({ url, connections: 1 })
      expect(await mayChangeReceipts(database)).toBe(expected)
      await database.$disconnect()
    }
  })

  it('calls functions that run as the owner, find no names but ours, and are nobody else to call', async () => {
    const loose = await query(
      ownerUrl,
      `SELECT p.oid::regprocedure::text AS loose FROM pg_proc p
       WHERE p.pronamespace = current_schema()::regnamespace
         AND (NOT p.prosecdef OR p.proconfig IS NULL OR has_function_privilege('public', p.oid, 'EXECUTE')
           OR NOT 'search_path=pg_catalog, public, pg_temp' = ANY (p.proconfig))`,
    )
    expect(loose).toEqual([])
  })
})

describe('prepareDatabase', () => {
  let ownerUrl: string
  let serviceUrl: string
  let role: string
  beforeEach(async () => {
    ;({ ownerUrl, serviceUrl, role } = await freshDatabase())
  })

  it('makes the role with the password of its URL, and changes nothing the second time', async () => {
    expect((await prepareDatabase({ ownerUrl, serviceUrl })).role).toBe('granted')
    const before = await rightsOf(ownerUrl)
    expect(await prepareDatabase({ ownerUrl, serviceUrl })).toEqual({ applied: [], role: 'granted' })
    expect(await rightsOf(ownerUrl)).toEqual(before)
    expect(await query(serviceUrl, 'SELECT count(*)::int AS receipts FROM receipts')).toEqual([{ receipts: 0 }])
  })

  it('gives an older database, in use by its owner until now, a role of its own', async () => {
    await migrate(ownerUrl)
    expect(await prepareDatabase({ ownerUrl, serviceUrl })).toEqual({ applied: [], role: 'granted' })
    expect(await query(serviceUrl, 'SELECT * FROM receipts')).toEqual([])
  })

  it('takes back what somebody gave the role besides', async () => {
    await prepareDatabase({ ownerUrl, serviceUrl })
    await query(ownerUrl, `GRANT ALL ON receipts TO "${role}"; GRANT CREATE ON SCHEMA public TO "${role}"`).catch(() => {})
    await query(ownerUrl, `GRANT UPDATE (amount_atomic) ON payments TO "${role}"`)
    await prepareDatabase({ ownerUrl, serviceUrl })
    expect(await refusal(query(serviceUrl, 'DELETE FROM receipts'))).toBe('42501')
    expect(await refusal(query(serviceUrl, 'UPDATE payments SET amount_atomic = 1'))).toBe('42501')
  })

  it('keeps the rights of a newer release', async () => {
    await prepareDatabase({ ownerUrl, serviceUrl })
    await query(
      ownerUrl,
      `CREATE TABLE newer (id int); GRANT SELECT ON newer TO "${role}";
       INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29991231_newer', now())`,
    )
    expect(await prepareDatabase({ ownerUrl, serviceUrl })).toEqual({ applied: [], role: 'ahead' })
    expect(await query(serviceUrl, 'SELECT * FROM newer')).toEqual([])
  })

  it('follows a changed password, and leaves one that works alone', async () => {
    await prepareDatabase({ ownerUrl, serviceUrl })
    const changed = as(serviceUrl, { password: 'changed' })
    await prepareDatabase({ ownerUrl, serviceUrl: changed })
    expect(await query(changed, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await refusal(query(serviceUrl, 'SELECT 1'))).toBe('28P01')
  })

  it('goes on as before when there is one URL for both', async () => {
    expect((await prepareDatabase({ ownerUrl, serviceUrl: ownerUrl })).role).toBe('owner')
  })

  it('several at once agree', async () => {
    const done = await Promise.all([1, 2, 3].map(() => prepareDatabase({ ownerUrl, serviceUrl })))
    expect(done.map((each) => each.role)).toEqual(['granted', 'granted', 'granted'])
  })

  it('says what to do where it may not make the role, or the role is too mighty', async () => {
    const plain = await freshDatabase('NOCREATEROLE')
    await expect(prepareDatabase(plain)).rejects.toThrow(/There is no role of_\d+_ledger, which DATABASE_URL names.*CREATE ROLE/)
    await query(postgres.url, `CREATE ROLE ${plain.role} LOGIN PASSWORD 'other'`)
    await expect(prepareDatabase(plain)).rejects.toThrow(/does not take the password of DATABASE_URL/)
    expect((await prepareDatabase({ ...plain, serviceUrl: as(plain.serviceUrl, { password: 'other' }) })).role).toBe('granted')
    await expect(prepareDatabase({ ownerUrl, serviceUrl: postgres.url })).rejects.toThrow(
      /turnpike of DATABASE_URL is a superuser/,
    )
    await query(postgres.url, `CREATE ROLE ${role} LOGIN; GRANT ${role.replace('_ledger', '_owner')} TO ${role}`)
    await expect(prepareDatabase({ ownerUrl, serviceUrl })).rejects.toThrow(/can act as the owner of the tables/)
  })
})

async function rightsOf(url: string): Promise<object[]> {
  return query(
    url,
    `SELECT relname, relacl::text, (SELECT string_agg(attacl::text, ',' ORDER BY attname) FROM pg_attribute WHERE attrelid = c.oid) AS columns
     FROM pg_class c WHERE relnamespace = current_schema()::regnamespace ORDER BY 1`,
  )
}
