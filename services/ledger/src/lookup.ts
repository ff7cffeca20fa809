import type { JobFailure, JobState, KeyState, LookupItem, LookupRequest, LookupResponse } from '@turnpike/contracts'
import type { Database } from './database.ts'

type KeyRow = {
  key_hash: string
  state: Exclude<KeyState, 'unknown'>
  fingerprint: string
  payer: string
  job_id: string
  amount_atomic: bigint
  attempts: number
  failure: JobFailure | null
  settlement_failure: string | null
}
type Row = { [Column in keyof KeyRow]: KeyRow[Column] | null } & {
  place: number
  owner_key_hash: string | null
  owner_fingerprint: string | null
  job_state: JobState | null
  job_failure: JobFailure | null
  has_history: boolean
}
type Asked = LookupRequest['items'][number]

/**
 * Primary-key look-ups of up to 500 items, answered in their order. On the unpaid path, so it must stay cheap: what asks for a key alone
 * goes by a statement of its own, and nothing comes back for a key that nobody knows, which is nearly every one of them.
 */
export async function lookUp(database: Database, { items }: LookupRequest): Promise<LookupResponse> {
  const alone = items.filter((item) => item.authorization === undefined && item.jobId === undefined)
  const others = items.filter((item) => item.authorization !== undefined || item.jobId !== undefined)
  const [keys, found] = await Promise.all([findKeys(database, alone), findAll(database, others)])
  return {
    items: items.map((item) => {
      const row = found.get(item)
      if (row !== undefined) return itemOf(row, item)
      const key = keys.get(item.keyHash)
      return key === undefined
        ? { keyHash: item.keyHash, state: 'unknown' }
        : { keyHash: key.key_hash, state: key.state, key: ownerOf(key) }
    }),
  }
}

async function findKeys(database: Database, items: readonly Asked[]): Promise<Map<string, KeyRow>> {
  if (items.length === 0) return new Map()
  const rows = await database.rows<KeyRow>`
    SELECT key_hash, state, fingerprint, payer, job_id, amount_atomic, attempts, failure, settlement_failure
    FROM idempotency_keys WHERE key_hash = ANY (${items.map(({ keyHash }) => keyHash)}::text[])`
  return new Map(rows.map((row) => [row.key_hash, row]))
}

/** One statement, so that a key, its authorization and its job are seen at one moment. */
async function findAll(database: Database, items: readonly Asked[]): Promise<Map<Asked, Row>> {
  if (items.length === 0) return new Map()
  // An empty text stands for "not asked": it equals no key.
  const keyHashes = items.map((item) => item.keyHash)
  const payers = items.map((item) => item.authorization?.payer ?? '')
  const nonces = items.map((item) => item.authorization?.nonce ?? '')
  const jobIds = items.map((item) => item.jobId ?? '')
  const rows = await database.rows<Row>`
    SELECT asked.place::int, k.key_hash, k.state, k.fingerprint, k.payer, k.job_id, k.amount_atomic, k.attempts, k.failure,
      k.settlement_failure, a.key_hash AS owner_key_hash, a.fingerprint AS owner_fingerprint, j.state AS job_state,
      j.failure AS job_failure, asked.payer <> '' AND EXISTS (SELECT FROM receipts r WHERE r.payer = asked.payer) AS has_history
    FROM unnest(${keyHashes}::text[], ${payers}::text[], ${nonces}::text[], ${jobIds}::text[])
      WITH ORDINALITY AS asked (key_hash, payer, nonce, job_id, place)
    LEFT JOIN idempotency_keys k ON k.key_hash = asked.key_hash
    LEFT JOIN authorizations a ON a.payer = asked.payer AND a.nonce = asked.nonce
    LEFT JOIN jobs j ON j.job_id = asked.job_id`
  return new Map(rows.map((row) => [items[row.place - 1] as Asked, row]))
}

function itemOf(row: Row, { keyHash, authorization }: Asked): LookupItem {
  const item: LookupItem = { keyHash, state: row.state ?? 'unknown' }
  if (isKnown(row)) item.key = ownerOf(row)
  if (row.owner_key_hash !== null && row.owner_fingerprint !== null) {
    item.authorizationOwner = { keyHash: row.owner_key_hash, fingerprint: row.owner_fingerprint }
  }
  if (authorization !== undefined) item.payerHasHistory = row.has_history
  if (row.job_state !== null) {
    item.job = { state: row.job_state, ...(row.job_failure === null ? {} : { failure: row.job_failure }) }
  }
  return item
}

function isKnown(row: Row): row is Row & KeyRow {
  return row.key_hash !== null
}

function ownerOf(row: KeyRow): NonNullable<LookupItem['key']> {
  return {
    fingerprint: row.fingerprint,
    payer: row.payer,
    jobId: row.job_id,
    amountAtomic: row.amount_atomic.toString(),
    attempts: row.attempts,
    ...(row.failure === null ? {} : { failure: row.failure }),
    ...(row.settlement_failure === null ? {} : { settlementFailure: row.settlement_failure }),
  }
}
