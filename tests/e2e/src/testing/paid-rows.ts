import { randomUUID } from 'node:crypto'
import type { Stack } from '@turnpike/local'
import { chat, post, quoteAndSign, type TestWallet } from '@turnpike/testing'
import { Client } from 'pg'

/** One paid request and where it lies in the ledger. */
export type PaidRows = {
  receiptId: string
  paymentId: string
  jobId: string
  payer: string
  nonce: string
  transaction: string
  token: string
  body: string
}

export async function payAndFind(stack: Stack, database: Client, wallet: TestWallet): Promise<PaidRows> {
  const call = { url: `${stack.baseUrl}/v1/chat/completions`, body: chat(`Audited ${randomUUID()}`), key: randomUUID() }
  const paid = await post({ ...call, payment: await quoteAndSign(wallet, call) })
  const body = await paid.text()
  if (paid.status !== 200) throw new Error(`a paid request was answered ${paid.status}: ${body}`)
  const { rows } = await database.query<Omit<PaidRows, 'token' | 'body'>>(
    `SELECT id AS "receiptId", payment_id AS "paymentId", job_id AS "jobId", payer, nonce, transaction FROM receipts WHERE id = $1`,
    [paid.headers.get('x-receipt-id')],
  )
  const [row] = rows
  if (row === undefined) throw new Error('a 200 without a receipt')
  return { ...row, token: paid.headers.get('x-receipt-token') ?? '', body }
}

const TABLES = ['authorizations', 'idempotency_keys', 'jobs', 'results', 'payments', 'receipts'] as const

/**
 * Lets `work` damage the ledger's tables as only a superuser can (no triggers, no unique indexes on payments), and puts everything back
 * as it was, whatever happens.
 */
export async function damaging(url: string, work: (run: (sql: string) => Promise<void>) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const unique = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'payments' AND indexname LIKE 'payments_one_%'`,
  )
  const run = async (sql: string) => {
    await client.query(sql)
  }
  try {
    await run(`SET session_replication_role = 'replica'; CREATE SCHEMA kept`)
    for (const table of TABLES) await run(`CREATE TABLE kept.${table} AS TABLE public.${table}`)
    for (const { name } of unique.rows) await run(`DROP INDEX ${name}`)
    await work(run)
  } finally {
    for (const table of TABLES) {
      await run(`BEGIN; DELETE FROM public.${table}; INSERT INTO public.${table} SELECT * FROM kept.${table}; COMMIT`)
    }
    for (const { definition } of unique.rows) await run(definition)
    await run('DROP SCHEMA kept CASCADE')
    await client.end()
  }
}
