import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, type PartHandle, startPart } from '@turnpike/local'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { PAYMENT_MOVES, PAYMENT_STATES } from './payment-states.ts'
import { MIGRATIONS } from './prepare-database.ts'
import { migrate } from './testing/ledger-rig.ts'

let dir: string
let postgres: AddressByPart['postgres'] & PartHandle
let databases = 0

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-migrations-'))
  postgres = await startPart('postgres', { dir: join(dir, 'postgres') })
})
afterAll(async () => {
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
})

async function freshDatabase(): Promise<string> {
  const name = `fresh_${databases++}`
  await query(postgres.url, `CREATE DATABASE ${name}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}
async function query<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}
const names = async () =>
  (await readdir(MIGRATIONS, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()

const PAYMENT = `INSERT INTO payments (id, job_id, key_hash, payer, nonce, pay_to, amount_atomic, valid_before, state, block_at_start,
  next_check_at, transaction, settle_response)
  VALUES (gen_random_uuid(), 'j', $1, 'p', $1, 't', 1, 1, $2, 1, now(), 'x', '{}')`

describe('applyMigrations', () => {
  it('brings a fresh database up, and does nothing the second time', async () => {
    const url = await freshDatabase()
    expect(await migrate(url)).toEqual(await names())
    expect(await migrate(url)).toEqual([])
  })

  it('applies each migration once when several replicas start at once', async () => {
    const url = await freshDatabase()
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(url)))
    expect(applied.flat().sort()).toEqual(await names())
  })

  it('brings an older database up and keeps its rows', async () => {
    const url = await freshDatabase()
    const [first, ...later] = await names()
    const older = join(dir, 'older')
    await cp(join(MIGRATIONS, first ?? ''), join(older, first ?? ''), { recursive: true })
    expect(await migrate(url, older)).toEqual([first])
    await query(url, PAYMENT, ['k', 'settled'])
    expect(await migrate(url)).toEqual(later)
    expect(await query(url, 'SELECT key_hash, state FROM payments')).toEqual([{ key_hash: 'k', state: 'settled' }])
  })

  it('writes what Prisma itself would: the SHA-256 of the file, finished, one step', async () => {
    const url = await freshDatabase()
    await migrate(url)
    const rows = await query<{ migration_name: string; checksum: string }>(
      url,
      'SELECT migration_name, checksum FROM _prisma_migrations WHERE finished_at IS NOT NULL AND applied_steps_count = 1 ORDER BY 1',
    )
    const expected = await Promise.all(
      (await names()).map(async (name) => ({
        migration_name: name,
        checksum: createHash('sha256')
          .update(await readFile(join(MIGRATIONS, name, 'migration.sql')))
          .digest('hex'),
      })),
    )
    expect(rows).toEqual(expected)
  })

  it('refuses a migration that was changed after it was applied, and undoes one that fails', async () => {
    const url = await freshDatabase()
    const folder = join(dir, 'changed')
    await mkdir(join(folder, '1_first'), { recursive: true })
    await writeFile(join(folder, '1_first/migration.sql'), 'CREATE TABLE one (id int)')
    await migrate(url, folder)
    await writeFile(join(folder, '1_first/migration.sql'), 'CREATE TABLE two (id int)')
    await expect(migrate(url, folder)).rejects.toThrow(/was changed/)
    await writeFile(join(folder, '1_first/migration.sql'), 'CREATE TABLE one (id int)')
    await mkdir(join(folder, '2_broken'))
    await writeFile(join(folder, '2_broken/migration.sql'), 'CREATE TABLE half (id int); SELECT nothing_such()')
    await expect(migrate(url, folder)).rejects.toThrow(/2_broken failed/)
    expect(await query(url, "SELECT to_regclass('half') AS half")).toEqual([{ half: null }])
  })
})

describe('the schema', () => {
  it('has every table and column that the Prisma models name', async () => {
    const url = await freshDatabase()
    await migrate(url)
    const database = openDatabase({ url, connections: 2 })
    try {
      const { authorization, idempotencyKey, job, result, payment, receipt } = database
      const reads = [
        authorization.findMany(),
        idempotencyKey.findMany(),
        job.findMany(),
        result.findMany(),
        payment.findMany(),
        receipt.findMany(),
      ]
      expect(await Promise.all(reads)).toEqual([[], [], [], [], [], []])
    } finally {
      await database.$disconnect()
    }
  })

  it('has append-only receipts', async () => {
    const url = await freshDatabase()
    await migrate(url)
    await query(
      url,
      `INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document)
       VALUES (gen_random_uuid(), 'j', gen_random_uuid(), 'p', 'n', 't', 1, '{"b":1, "a":2}')`,
    )
    for (const sql of ["UPDATE receipts SET payer = 'q'", 'DELETE FROM receipts', 'TRUNCATE receipts']) {
      await expect(query(url, sql), sql).rejects.toThrow(/append-only/)
    }
    expect(await query(url, 'SELECT document::text AS text FROM receipts')).toEqual([{ text: '{"b":1, "a":2}' }])
  })

  it('moves payments as the table in the code says, and no other way', async () => {
    const url = await freshDatabase()
    await migrate(url)
    for (const from of PAYMENT_STATES) {
      for (const to of PAYMENT_STATES) {
        if (from === to) continue
        const id = `${from}-${to}`
        await query(url, PAYMENT, [id, from])
        const move = query(url, 'UPDATE payments SET state = $2 WHERE key_hash = $1', [id, to])
        if (PAYMENT_MOVES[from][to] === undefined) await expect(move, id).rejects.toThrow(/does not move/)
        else await expect(move, id).resolves.toEqual([])
      }
    }
  })

  it('holds one payment that is not void per key and per authorization', async () => {
    const url = await freshDatabase()
    await migrate(url)
    await query(url, PAYMENT, ['k', 'void'])
    await query(url, PAYMENT, ['k', 'unknown'])
    await expect(query(url, PAYMENT, ['k', 'settling'])).rejects.toThrow(/payments_one_per_(key|authorization)/)
  })
})
