import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, type PartHandle, startPart } from '@turnpike/local'
import { createLogger, createMetrics } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCommitEvents } from './commit-events.ts'
import { type Database, openDatabase } from './database.ts'
import { expireResults } from './expire-results.ts'
import { ledgerMetrics } from './ledger-metrics.ts'
import { lookUp } from './lookup.ts'
import { readReceipt, readRelease } from './releases.ts'
import { observeOpenMoney } from './state-gauges.ts'
import { sweepOverdueJobs } from './sweep-overdue.ts'
import { migrate } from './testing/ledger-rig.ts'
import { claimDuePayments, countSubmission, readPayment, renewPayments } from './undecided-payment.ts'

const ROWS = 30_000
// More often than the five calls after which a plan may become a generic one.
const CALLS = 8

let dir: string
let postgres: AddressByPart['postgres'] & PartHandle
let database: Database

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ledger-plans-'))
  postgres = await startPart('postgres', { dir })
  await migrate(postgres.url)
  // One connection, so that its counters can be flushed by whoever reads them.
  database = openDatabase({ url: postgres.url, connections: 1 })
  for (const sql of SEED) await database.$executeRawUnsafe(sql)
}, 120_000)
afterAll(async () => {
  await database?.$disconnect()
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
})

/** A ledger that has run for a while: everything settled. */
const SEED = [
  `INSERT INTO authorizations (payer, nonce, key_hash, fingerprint)
   SELECT 'payer' || n % 500, 'nonce' || n, 'key' || n, 'print' FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO idempotency_keys (key_hash, fingerprint, payer, job_id, state, amount_atomic)
   SELECT 'key' || n, 'print', 'payer' || n % 500, 'job' || n, 'settled', 2000 FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO jobs (job_id, request_id, key_hash, fingerprint, endpoint, model, catalog_version, amount_atomic, price_inputs, payer,
     nonce, pay_to, valid_before, attempt, admitted_at, deadline, state, ended_at)
   SELECT 'job' || n, gen_random_uuid(), 'key' || n, 'print', 'e', 'm', 'c', 2000, '{}', 'payer' || n % 500, 'nonce' || n, 'seller',
     2000000000, 0, now(), now(), 'succeeded', now() FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO results (job_id, key_hash, content_type, body, sha256, bytes, usage, expires_at)
   SELECT 'job' || n, 'key' || n, 'application/json', 'x', 's', 1, '{}', now() + interval '7 days' FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO payments (id, job_id, key_hash, payer, nonce, pay_to, amount_atomic, valid_before, state, block_at_start, submissions,
     next_check_at, transaction, settle_response, decided_at, announced_at)
   SELECT gen_random_uuid(), 'job' || n, 'key' || n, 'payer' || n % 500, 'nonce' || n, 'seller', 2000, 2000000000, 'settled', n, 1,
     now(), 't' || n, '{}', now(), now() FROM generate_series(1, ${ROWS}) n`,
  `INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document)
   SELECT gen_random_uuid(), job_id, id, payer, nonce, transaction, 2000, '{}' FROM payments`,
  'ANALYZE',
]

/** Tables that were read from end to end meanwhile. */
async function readWhole(work: () => Promise<unknown>): Promise<string[]> {
  const before = await sequentialScans()
  for (let call = 0; call < CALLS; call++) await work()
  const after = await sequentialScans()
  return [...after].filter(([table, scans]) => scans > (before.get(table) ?? 0)).map(([table]) => table)
}
async function sequentialScans(): Promise<Map<string, number>> {
  await database.$queryRaw`SELECT pg_stat_force_next_flush()::text`
  const rows = await database.$queryRaw<{ table: string; scans: bigint }[]>`
    SELECT relname::text AS table, seq_scan AS scans FROM pg_stat_user_tables`
  return new Map(rows.map(({ table, scans }) => [table, Number(scans)]))
}

const n = 17
const paymentId = async () => (await database.payment.findFirstOrThrow({ where: { keyHash: `key${n}` } })).id
const receiptId = async () => (await database.receipt.findFirstOrThrow({ where: { jobId: `job${n}` } })).id
const logger = createLogger({ service: 'ledger', format: 'json', level: 'silent' })
const metrics = ledgerMetrics(createMetrics('ledger'))
const owner = 'test'
const publisher = { publish: async () => {} }
const store = { delete: async () => {} }

describe('in a ledger with a past, no table is read from end to end by', () => {
  it('the counters that say so (they do see it)', async () => {
    expect(await readWhole(() => database.$queryRaw`SELECT count(*) FROM payments WHERE pay_to = 'nobody'`)).toEqual(['payments'])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['a release', () => readRelease(database, `job${n}`)],
    ['a receipt', async () => readReceipt(database, await receiptId())],
    [
      'a look-up',
      () =>
        lookUp(database, {
          items: [{ keyHash: `key${n}`, jobId: `job${n}`, authorization: { payer: 'payer17', nonce: 'nonce17' } }],
        }),
    ],
    [
      'the record of a job',
      () => {
        const job = { jobId: randomUUID(), keyHash: randomUUID(), nonce: randomUUID(), requestId: randomUUID() }
        const terms = { fingerprint: 'print', payer: 'payer1', payTo: 's', amountAtomic: '2000', validBefore: 2e9, attempt: 0 }
        const times = { admittedAt: Date.now(), deadline: Date.now() + 60_000 }
        const event = { ...job, ...terms, ...times, endpoint: 'e', model: 'm', catalogVersion: 'c', priceInputs: {}, payment: {} }
        return database.$queryRaw`SELECT * FROM record_job(${JSON.stringify(event)}::jsonb)`
      },
    ],
    ['the outcome of a job that has ended', () => storeResult(`job${n}`)],
    ['a new result', async () => storeResult(await openJob())],
    ['a failure', async () => database.$queryRaw`SELECT end_job(${await openJob()}, 'failed', '{}')`],
    ['a settlement', async () => commit(await openPayment())],
    [
      'a payment that failed, waits and fails again',
      async () => {
        const id = await openPayment()
        await database.$queryRaw`SELECT postpone_payment(${id}::uuid, 'why', 0)`
        await database.$queryRaw`SELECT void_payment(${id}::uuid, 'why', false, true)`
        await database.$queryRaw`SELECT note_late_transfer(${id}::uuid, 't')`
      },
    ],
    [
      'a new signature for a stored result',
      async () => {
        const id = await openPayment()
        await database.$queryRaw`SELECT void_payment(${id}::uuid, 'why', false, true)`
        const { keyHash, jobId, payer } = await database.payment.findUniqueOrThrow({ where: { id } })
        const request = {
          keyHash,
          jobId,
          payer,
          fingerprint: 'print',
          amountAtomic: '2000',
          nonce: randomUUID(),
          validBefore: 2e9,
        }
        await database.$queryRaw`SELECT status FROM settle_stored(${JSON.stringify({ ...request, payment: {} })}::jsonb,
          ${randomUUID()}::uuid, 1, 'o', 60000)`
      },
    ],
    ['a payment', async () => readPayment(database, await paymentId())],
    ['the count of submissions', async () => countSubmission(database, await paymentId())],
    ['the claim of due payments', () => claimDuePayments(database, { owner, leaseMs: 1_000, atMost: 50 })],
    ['the renewal of leases', async () => renewPayments(database, { owner, leaseMs: 1_000, ids: [await paymentId()] })],
    ['the announcement of commits', () => openCommitEvents({ database, publisher, logger }).catchUp()],
    [
      'the sweep of overdue jobs',
      () => sweepOverdueJobs({ database, publisher, eventSchema: 'current', metrics, logger, graceMs: 0, now: Date.now }),
    ],
    ['the expiry of results', () => expireResults({ database, store, metrics, logger })],
    [
      'a scrape',
      async () => {
        const scraped = createMetrics('ledger')
        observeOpenMoney(ledgerMetrics(scraped), database)
        await scraped.registry.metrics()
      },
    ],
  ])('%s', async (_what, work) => {
    expect(await readWhole(work)).toEqual([])
  })
})

async function openJob(): Promise<string> {
  const id = randomUUID()
  await database.$executeRaw`INSERT INTO idempotency_keys (key_hash, fingerprint, payer, job_id, state, amount_atomic)
    VALUES (${id}, 'print', 'payer1', ${id}, 'in_flight', 2000)`
  await database.$executeRaw`INSERT INTO jobs (job_id, request_id, key_hash, fingerprint, endpoint, model, catalog_version,
      amount_atomic, price_inputs, payer, nonce, pay_to, valid_before, attempt, admitted_at, deadline, state, payment)
    VALUES (${id}, ${id}::uuid, ${id}, 'print', 'e', 'm', 'c', 2000, '{}', 'payer1', ${id}, 's', 2000000000, 0, now(),
      now() + interval '1 minute', 'admitted', '{}')`
  return id
}
async function openPayment(): Promise<string> {
  const [stored] = await storeResult(await openJob())
  if (stored?.payment_id === undefined) throw new Error('no payment')
  return stored.payment_id
}
function storeResult(jobId: string): Promise<{ payment_id: string }[]> {
  return database.$queryRaw`SELECT payment_id FROM store_result(${jobId}, 'application/json', 'x'::bytea, NULL, 's', 1, '{}',
    ${randomUUID()}::uuid, 1, 'o', 60000)`
}
function commit(id: string): Promise<unknown> {
  return database.$queryRaw`SELECT became FROM commit_settlement(${id}::uuid, 't', '{}'::json, ${randomUUID()}::uuid, '{}'::json)`
}
