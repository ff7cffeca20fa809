import type { JobFailure, JobState, KeyState, LookupItem, LookupRequest, LookupResponse } from '@turnpike/contracts'
import type { Database } from './database.ts'

type Row = {
  key_hash: string
  state: Exclude<KeyState, 'unknown'> | null
  fingerprint: string | null
  payer: string | null
  job_id: string | null
  amount_atomic: bigint | null
  attempts: number | null
  failure: JobFailure | null
  settlement_failure: string | null
  owner_key_hash: string | null
  owner_fingerprint: string | null
  job_state: JobState | null
  job_failure: JobFailure | null
  has_history: boolean
}

/** One statement of primary-key lookups for up to 500 items, in their order. On the unpaid path, so it must stay cheap. */
export async function lookUp(database: Database, request: LookupRequest): Promise<LookupResponse> {
  const { items } = request
  // An empty text stands for "not asked": it equals no key.
  const keyHashes = items.map((item) => item.keyHash)
  const payers = items.map((item) => item.authorization?.payer ?? '')
  const nonces = items.map((item) => item.authorization?.nonce ?? '')
  const jobIds = items.map((item) => item.jobId ?? '')
  const rows = await database.$queryRaw<Row[]>`
    SELECT asked.key_hash, k.state, k.fingerprint, k.payer, k.job_id, k.amount_atomic, k.attempts, k.failure, k.settlement_failure,
      a.key_hash AS owner_key_hash, a.fingerprint AS owner_fingerprint, j.state AS job_state, j.failure AS job_failure,
      asked.payer <> '' AND EXISTS (SELECT FROM receipts r WHERE r.payer = asked.payer) AS has_history
    FROM unnest(${keyHashes}::text[], ${payers}::text[], ${nonces}::text[], ${jobIds}::text[])
      WITH ORDINALITY AS asked (key_hash, payer, nonce, job_id, place)
    LEFT JOIN idempotency_keys k ON k.key_hash = asked.key_hash
    LEFT JOIN authorizations a ON a.payer = asked.payer AND a.nonce = asked.nonce
    LEFT JOIN jobs j ON j.job_id = asked.job_id
    ORDER BY asked.place`
  return { items: rows.map((row, place) => itemOf(row, items[place]?.authorization !== undefined)) }
}

function itemOf(row: Row, asksAboutPayer: boolean): LookupItem {
  const item: LookupItem = { keyHash: row.key_hash, state: row.state ?? 'unknown' }
  if (row.fingerprint !== null && row.payer !== null && row.job_id !== null && row.amount_atomic !== null) {
    item.key = {
      fingerprint: row.fingerprint,
      payer: row.payer,
      jobId: row.job_id,
      amountAtomic: row.amount_atomic.toString(),
      attempts: row.attempts ?? 0,
      ...(row.failure === null ? {} : { failure: row.failure }),
      ...(row.settlement_failure === null ? {} : { settlementFailure: row.settlement_failure }),
    }
  }
  if (row.owner_key_hash !== null && row.owner_fingerprint !== null) {
    item.authorizationOwner = { keyHash: row.owner_key_hash, fingerprint: row.owner_fingerprint }
  }
  if (asksAboutPayer) item.payerHasHistory = row.has_history
  if (row.job_state !== null) {
    item.job = { state: row.job_state, ...(row.job_failure === null ? {} : { failure: row.job_failure }) }
  }
  return item
}
