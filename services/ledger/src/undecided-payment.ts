import type { Content, PAID_ENDPOINTS, Receipt } from '@turnpike/contracts'
import type { Database } from './database.ts'
import type { PaymentState } from './payment-states.ts'

type Hex = `0x${string}`

/** A payment with all that settling it and writing its receipt takes. */
export type UndecidedPayment = {
  id: string
  jobId: string
  keyHash: string
  payer: Hex
  nonce: Hex
  payTo: Hex
  amountAtomic: bigint
  /** Seconds since the epoch. */
  validBefore: bigint
  state: PaymentState
  blockAtStart: bigint
  /** Sealed with sealedFor.payment(jobId). Null once the payment is decided. */
  payment: Content | null
  submissions: number
  checks: number
  watched: boolean
  createdAt: Date
  requestId: string
  endpoint: (typeof PAID_ENDPOINTS)[number]
  model: string
  catalogVersion: string
  priceInputs: Receipt['price']['inputs']
  fingerprint: string
  /** Null only where the payment is void and its result is gone. */
  responseSha256: string | null
  usage: Record<string, unknown> | null
}

export async function readPayment(database: Database, paymentId: string): Promise<UndecidedPayment> {
  const [row] = await database.rows<UndecidedPayment>`
    SELECT p.id, p.job_id AS "jobId", p.key_hash AS "keyHash", p.payer, p.nonce, p.pay_to AS "payTo",
      p.amount_atomic AS "amountAtomic", p.valid_before AS "validBefore", p.state, p.block_at_start AS "blockAtStart", p.payment,
      p.submissions, p.checks, p.watched, p.created_at AS "createdAt",
      j.request_id AS "requestId", j.endpoint, j.model, j.catalog_version AS "catalogVersion", j.price_inputs AS "priceInputs",
      j.fingerprint, r.sha256 AS "responseSha256", r.usage
    FROM payments p JOIN jobs j ON j.job_id = p.job_id LEFT JOIN results r ON r.job_id = p.job_id
    WHERE p.id = ${paymentId}::uuid`
  if (row === undefined) throw new Error('payment is not there')
  return row
}

/** Takes payments whose next check is due, each for one replica, until the lease runs out. */
export async function claimDuePayments(
  database: Database,
  claim: { owner: string; leaseMs: number; atMost: number },
): Promise<string[]> {
  const rows = await database.$queryRaw<{ id: string }[]>`
    UPDATE payments SET owner = ${claim.owner}, next_check_at = now() + make_interval(secs => ${claim.leaseMs}::integer / 1000.0)
    WHERE id IN (
      SELECT id FROM payments
      WHERE (state IN ('settling', 'unknown') OR watched) AND next_check_at <= now()
      ORDER BY next_check_at LIMIT ${claim.atMost}::integer FOR UPDATE SKIP LOCKED)
    RETURNING id`
  return rows.map((row) => row.id)
}

export async function renewPayments(
  database: Database,
  renewal: { owner: string; leaseMs: number; ids: readonly string[] },
): Promise<void> {
  await database.$executeRaw`
    UPDATE payments SET next_check_at = now() + make_interval(secs => ${renewal.leaseMs}::integer / 1000.0)
    WHERE id = ANY(${[...renewal.ids]}::uuid[]) AND owner = ${renewal.owner}
      AND (state IN ('settling', 'unknown') OR watched)`
}

/** Counted before it is sent: whatever happens then, a later refusal is known not to answer the only submission. */
export async function countSubmission(database: Database, paymentId: string): Promise<number> {
  const [row] = await database.rows<{ submissions: number }>`
    UPDATE payments SET submissions = submissions + 1 WHERE id = ${paymentId}::uuid RETURNING submissions`
  if (row === undefined) throw new Error('payment is not there')
  return row.submissions
}
