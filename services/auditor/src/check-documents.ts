import {
  type AuditPayment,
  canonical,
  compile,
  formatUsdc,
  Receipt,
  type Release,
  sealedFor,
  sha256Hex,
} from '@turnpike/contracts'
import { NETWORK, USDC_ADDRESS } from '@turnpike/payments'
import { type Ed25519PublicJwk, type Keyring, open, SealBroken, verifyDetached } from '@turnpike/sealing'
import { ClaimCheckBroken, ObjectMissing, type ObjectStore, unpackContent } from '@turnpike/storage'
import type { Difference, DifferenceCode, Place } from './differences.ts'
import type { GatewayClient } from './gateway-client.ts'
import type { LedgerClient } from './ledger-client.ts'

export type DocumentDeps = {
  gateway: Pick<GatewayClient, 'receipt'>
  ledger: Pick<LedgerClient, 'release'>
  store: ObjectStore
  contentKeys: Keyring
}

export type Documents = {
  differences: Difference[]
  receipt: 'good' | 'bad'
  result: 'good' | 'bad' | 'expired'
}

type Paid = AuditPayment & { receipt: NonNullable<AuditPayment['receipt']> }
type Report = (code: DifferenceCode, detail: string) => void

const parseReceipt = compile(Receipt)

/** Fetches what the payer could fetch, the receipt at the public door and the result as it would be released, and reads both. */
export async function checkDocuments(
  deps: DocumentDeps,
  payment: Paid,
  place: Place,
  keys: readonly Ed25519PublicJwk[],
): Promise<Documents> {
  const differences: Difference[] = []
  const report: Report = (code, detail) => differences.push({ code, detail, ...place })
  const receipt = await checkReceipt(deps, payment, keys, report)
  const isReceiptGood = differences.length === 0
  const result = await checkResult(deps, payment, receipt, report)
  return { differences, receipt: isReceiptGood ? 'good' : 'bad', result }
}

async function checkReceipt(
  { gateway }: DocumentDeps,
  payment: Paid,
  keys: readonly Ed25519PublicJwk[],
  report: Report,
): Promise<Receipt | undefined> {
  const { receiptId } = payment.receipt
  const document = await gateway.receipt(receiptId)
  if (document === undefined) {
    report('receipt_not_served', 'the gateway answers 404')
    return undefined
  }
  const parsed = parseReceipt(document)
  if (!parsed.ok) {
    report('receipt_differs', `it is not a receipt: ${parsed.problems[0]?.path ?? ''} ${parsed.problems[0]?.message ?? ''}`)
    return undefined
  }
  const { signature, ...unsigned } = parsed.value
  if (!verifyDetached(keys, signature, canonical(unsigned))) report('receipt_signature_invalid', 'detached JWS over RFC 8785')
  const { price, payment: paid } = parsed.value
  const expected: readonly (readonly [field: string, said: string, expected: string | null])[] = [
    ['id', parsed.value.id, receiptId],
    ['payment.network', paid.network, NETWORK],
    ['payment.asset', paid.asset, USDC_ADDRESS],
    ['payment.payer', paid.payer, payment.payer],
    ['payment.pay_to', paid.pay_to, payment.payTo],
    ['payment.nonce', paid.nonce, payment.nonce],
    ['payment.transaction', paid.transaction, payment.transaction],
    ['price.amount_atomic', price.amount_atomic, payment.amountAtomic],
    ['price.amount', price.amount, formatUsdc(BigInt(payment.amountAtomic))],
  ]
  for (const [field, said, wanted] of expected) {
    if (said !== wanted)
      report(field.startsWith('price.') ? 'amount_differs' : 'receipt_differs', `${field} is ${said}, expected ${wanted}`)
  }
  return parsed.value
}

async function checkResult(
  deps: DocumentDeps,
  payment: Paid,
  receipt: Receipt | undefined,
  report: Report,
): Promise<Documents['result']> {
  const release = await deps.ledger.release(payment.jobId)
  if (release === undefined) {
    if (payment.resultMayBeGone) return 'expired'
    report('result_missing', 'the ledger releases nothing for its job')
    return 'bad'
  }
  const opened = await openBody(deps, release)
  if (opened.kind !== 'opened') {
    report(opened.kind, opened.detail)
    return 'bad'
  }
  const { body } = opened
  const expected: readonly (readonly [field: string, said: unknown, expected: unknown])[] = [
    ['length', body.length, release.bytes],
    ['SHA-256 beside the stored result', release.sha256, sha256Hex(body)],
    ['receipt of the release', release.receiptId, payment.receipt.receiptId],
    ['payer of the release', release.payer, payment.payer],
    ...(receipt === undefined
      ? []
      : ([
          ['response_sha256', receipt.response_sha256, sha256Hex(body)],
          ['request_sha256', receipt.request_sha256, release.fingerprint],
          ['endpoint', receipt.endpoint, release.endpoint],
          ['catalog_version', receipt.catalog_version, release.catalogVersion],
        ] as const)),
  ]
  const wrong = expected.filter(([, said, wanted]) => said !== wanted)
  for (const [field, said, wanted] of wrong) report('result_differs', `${field} is ${said}, expected ${wanted}`)
  return wrong.length === 0 ? 'good' : 'bad'
}

type Opened = { kind: 'opened'; body: Buffer } | { kind: 'result_missing' | 'result_damaged'; detail: string }

async function openBody({ store, contentKeys }: DocumentDeps, release: Release): Promise<Opened> {
  try {
    const sealed = await unpackContent(store, release.body)
    return { kind: 'opened', body: open(contentKeys, sealed, sealedFor.result(release.jobId)) }
  } catch (error) {
    if (error instanceof ObjectMissing) return { kind: 'result_missing', detail: 'its object is gone' }
    if (error instanceof ClaimCheckBroken || error instanceof SealBroken) return { kind: 'result_damaged', detail: error.message }
    throw error
  }
}
