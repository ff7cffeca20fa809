import {
  AUDIT_PAGE_ITEMS,
  type AuditAuthorization,
  type AuditAuthorizations,
  type AuditAuthorizationsRequest,
  type AuditPayment,
  type AuditPayments,
  type StrayReceipts,
} from '@turnpike/contracts'
import type { Database } from './database.ts'
import { Prisma } from './generated/client.ts'

// The ledger's rows for the auditor, as they are. Nothing is judged here: who keeps the books does not audit them.

/** One payment with its job and its receipt as JSON. Outer joins, because a row that is missing is what the audit looks for. */
const paymentAsJson = Prisma.sql`jsonb_build_object(
  'paymentId', p.id, 'jobId', p.job_id, 'payer', p.payer, 'nonce', p.nonce, 'payTo', p.pay_to,
  'amountAtomic', p.amount_atomic::text, 'state', p.state, 'transaction', p.transaction, 'lateTransaction', p.late_transaction,
  'isWatched', p.watched, 'blockAtStart', p.block_at_start::text, 'settleResponse', p.settle_response,
  'settledOfKey', (SELECT count(*) FROM payments o WHERE o.key_hash = p.key_hash AND o.state = 'settled'),
  'job', (SELECT jsonb_build_object('amountAtomic', j.amount_atomic::text, 'payer', j.payer, 'payTo', j.pay_to)
    FROM jobs j WHERE j.job_id = p.job_id),
  'receipt', (SELECT jsonb_build_object('receiptId', c.id, 'jobId', c.job_id, 'payer', c.payer, 'nonce', c.nonce,
    'transaction', c.transaction, 'amountAtomic', c.amount_atomic::text) FROM receipts c WHERE c.payment_id = p.id),
  'resultMayBeGone', coalesce(p.decided_at < now() - interval '7 days', false))`

type AuthorizationRow = Omit<AuditAuthorization, 'payer' | 'nonce'>

/** What the ledger knows of authorizations that somebody saw on the chain. */
export async function readAuditAuthorizations(
  database: Database,
  { items }: AuditAuthorizationsRequest,
): Promise<AuditAuthorizations> {
  const payers = items.map(({ payer }) => payer)
  const nonces = items.map(({ nonce }) => nonce)
  // Void payments have no index on (payer, nonce): they are found by the key that the authorization belongs to.
  const rows = await database.$queryRaw<AuthorizationRow[]>`
    SELECT a.key_hash IS NOT NULL OR c.id IS NOT NULL OR found.payments IS NOT NULL AS "wasPresented",
      EXISTS (SELECT FROM jobs j WHERE j.key_hash = a.key_hash AND j.state = 'admitted' AND j.payer = a.payer AND j.nonce = a.nonce)
        AS "hasOpenJob",
      c.id AS "receiptId", coalesce(found.payments, '[]') AS payments
    FROM unnest(${payers}::text[], ${nonces}::text[]) WITH ORDINALITY AS asked (payer, nonce, place)
    LEFT JOIN authorizations a ON a.payer = asked.payer AND a.nonce = asked.nonce
    LEFT JOIN receipts c ON c.payer = asked.payer AND c.nonce = asked.nonce
    LEFT JOIN LATERAL (
      SELECT jsonb_agg(${paymentAsJson} ORDER BY p.created_at) AS payments FROM payments p WHERE p.id IN (
        SELECT id FROM payments WHERE payer = asked.payer AND nonce = asked.nonce AND state <> 'void'
        UNION SELECT id FROM payments WHERE key_hash = a.key_hash AND payer = asked.payer AND nonce = asked.nonce
        UNION SELECT c.payment_id)
    ) found ON true
    ORDER BY asked.place`
  return {
    items: items.map(({ payer, nonce }, place) => {
      const row = rows[place]
      if (row === undefined) throw new Error('the audit query lost a row')
      return { payer, nonce, ...row }
    }),
  }
}

export type AuditRange = { from: bigint; to: bigint; after: { block: bigint; id: string } }

export async function readAuditPayments(database: Database, { from, to, after }: AuditRange): Promise<AuditPayments> {
  const rows = await database.$queryRaw<{ payment: AuditPayment }[]>`
    SELECT ${paymentAsJson} AS payment FROM payments p
    WHERE (p.state = 'settled' OR p.late_transaction IS NOT NULL)
      AND p.block_at_start BETWEEN ${from}::bigint AND ${to}::bigint
      AND (p.block_at_start, p.id) > (${after.block}::bigint, ${after.id}::uuid)
    ORDER BY p.block_at_start, p.id LIMIT ${AUDIT_PAGE_ITEMS}::integer`
  const items = rows.map(({ payment }) => payment)
  const last = items.at(-1)
  return {
    items,
    ...(last === undefined || items.length < AUDIT_PAGE_ITEMS ? {} : { next: `${last.blockAtStart}_${last.paymentId}` }),
  }
}

// Receipts that one page looks at; nearly all of them have their payment and are not part of the answer.
const RECEIPTS_AT_ONCE = 2_000

type ReceiptRow = StrayReceipts['items'][number] & { isStray: boolean }

export async function readStrayReceipts(database: Database, after: { createdAtMs: number; id: string }): Promise<StrayReceipts> {
  const rows = await database.$queryRaw<ReceiptRow[]>`
    SELECT c.id AS "receiptId", c.payment_id AS "paymentId", c.job_id AS "jobId", c.payer, c.nonce, c.transaction,
      (extract(epoch FROM c.created_at) * 1000)::float8 AS "createdAt", p.state IS DISTINCT FROM 'settled' AS "isStray"
    FROM receipts c LEFT JOIN payments p ON p.id = c.payment_id
    WHERE (c.created_at, c.id) > (to_timestamp(${after.createdAtMs}::float8 / 1000)::timestamptz(3), ${after.id}::uuid)
    ORDER BY c.created_at, c.id LIMIT ${RECEIPTS_AT_ONCE}::integer`
  const last = rows.at(-1)
  return {
    items: rows.filter(({ isStray }) => isStray).map(({ isStray: _, ...receipt }) => receipt),
    ...(last === undefined || rows.length < RECEIPTS_AT_ONCE ? {} : { next: `${last.createdAt}_${last.receiptId}` }),
  }
}
