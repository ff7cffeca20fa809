import type { Content, PaidEndpoint, Receipt, Release } from '@turnpike/contracts'
import type { Database } from './database.ts'

type Row = Omit<Release, 'body' | 'endpoint' | 'createdS'> & {
  created: unknown
  endpoint: PaidEndpoint
  body: Uint8Array | null
  bodyRef: Exclude<Content, { inline: string }> | null
}

/** Everything that a released response is made of; undefined while it is not committed, and after its result has gone. */
export async function readRelease(database: Database, jobId: string): Promise<Release | undefined> {
  const [row] = await database.rows<Row>`
    SELECT r.job_id AS "jobId", c.id AS "receiptId", j.catalog_version AS "catalogVersion", j.endpoint, j.fingerprint, j.payer,
      r.content_type AS "contentType", r.body, r.body_ref AS "bodyRef", r.sha256, r.bytes, p.settle_response AS "paymentResponse",
      c.document->'created' AS created
    FROM results r
    JOIN receipts c ON c.job_id = r.job_id
    JOIN payments p ON p.id = c.payment_id AND p.state = 'settled'
    JOIN jobs j ON j.job_id = r.job_id
    WHERE r.job_id = ${jobId} AND NOT r.expired`
  if (row === undefined) return undefined
  const { body, bodyRef, created, ...rest } = row
  const content = body === null ? bodyRef : { inline: Buffer.from(body).toString('base64') }
  if (content === null) throw new Error('a result has neither body nor reference')
  // A receipt that was damaged is the auditor's to report; its result can be had all the same.
  return { ...rest, ...(Number.isSafeInteger(created) ? { createdS: created as number } : {}), body: content }
}

/** The receipt as issued. */
export async function readReceipt(database: Database, receiptId: string): Promise<Receipt | undefined> {
  const row = await database.receipt.findUnique({ where: { id: receiptId }, select: { document: true } })
  return row === null ? undefined : (row.document as Receipt)
}
