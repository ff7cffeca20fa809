import { setTimeout as pause } from 'node:timers/promises'
import { AUDIT_PAGE_ITEMS, type AuditPayment } from '@turnpike/contracts'
import { type ChainRpc, type TransferToSeller, transfersToSeller } from '@turnpike/payments'
import type { Ed25519PublicJwk } from '@turnpike/sealing'
import { type AuditBook, type AuditReport, type BlockRange, openBook } from './audit-book.ts'
import { checkDocuments, type DocumentDeps } from './check-documents.ts'
import { checkPaymentOnChain } from './check-payment-on-chain.ts'
import type { GatewayClient } from './gateway-client.ts'
import { AuditImpossible } from './http-json.ts'
import { type AuthorizedTransfer, idsOf, judgeTransfer, placeOf } from './judge-transfer.ts'
import type { LedgerClient } from './ledger-client.ts'

export type AuditDeps = DocumentDeps & {
  rpc: ChainRpc
  ledger: LedgerClient
  gateway: GatewayClient
  payTo: string
  confirmations: number
  ourSigners: ReadonlySet<string>
  /** How long payments that the ledger is deciding at this moment may take before they count as undecided. */
  undecidedWaitMs: number
  now: () => number
  signal: AbortSignal
}

type Run = AuditDeps & {
  book: AuditBook
  keys: readonly Ed25519PublicJwk[]
  /** Payments that were held against their transfer: the way back from ledger to chain has nothing to add to them. */
  judged: Set<string>
  /** Receipts that were reported without a payment. */
  strays: Set<string>
}

const DOCUMENTS_AT_ONCE = 8
const LOOK_AGAIN_MS = 500

/**
 * Holds the chain against the ledger for a range of confirmed blocks, both ways. Starts from the chain, because the ledger cannot know
 * what it forgot. Throws AuditImpossible, or a transient fault, when something cannot be asked.
 */
export async function audit(deps: AuditDeps, range: BlockRange): Promise<AuditReport> {
  const book = openBook(range)
  const run: Run = { ...deps, book, keys: await deps.gateway.keys(), judged: new Set(), strays: new Set() }
  const undecided: AuthorizedTransfer[] = []
  for await (const transfers of transfersToSeller(deps.rpc, { payTo: deps.payTo, ...range })) {
    undecided.push(...(await auditTransfers(run, authorizedOf(book, transfers))))
  }
  await auditUndecided(run, undecided)
  await auditPayments(run, range)
  await auditReceipts(run, range)
  return book.report
}

function authorizedOf(book: AuditBook, transfers: readonly TransferToSeller[]): AuthorizedTransfer[] {
  return transfers.flatMap((transfer) => {
    const { nonce, payer, transaction, blockNumber, amountAtomic } = transfer
    if (nonce !== undefined) return [{ ...transfer, nonce }]
    book.noteForeign({ payer, transaction, blockNumber, amountAtomic, isAuthorized: false })
    return []
  })
}

/** Returns those that the ledger has not decided yet; `isLast`: they are reported instead. */
async function auditTransfers(run: Run, transfers: readonly AuthorizedTransfer[], isLast = false): Promise<AuthorizedTransfer[]> {
  const undecided: AuthorizedTransfer[] = []
  for (let at = 0; at < transfers.length; at += AUDIT_PAGE_ITEMS) {
    run.signal.throwIfAborted()
    const some = transfers.slice(at, at + AUDIT_PAGE_ITEMS)
    const known = await run.ledger.authorizations(some.map(({ payer, nonce }) => ({ payer, nonce })))
    await inParallel(some, async (transfer, place) => {
      const found = known[place]
      if (found === undefined) throw new AuditImpossible('the ledger left an authorization out')
      const verdict = judgeTransfer(transfer, found, run.ourSigners)
      if (verdict.kind === 'undecided' && !isLast) {
        undecided.push(transfer)
        return
      }
      for (const { paymentId } of found.payments) run.judged.add(paymentId)
      if (found.receiptId !== null) run.strays.add(found.receiptId)
      const { amountAtomic } = transfer
      if (verdict.kind === 'foreign') return run.book.noteForeign({ ...placeOf(transfer), amountAtomic, isAuthorized: true })
      run.book.report.transfers++
      switch (verdict.kind) {
        case 'undecided':
          return run.book.differ(verdict.difference)
        case 'different':
          return run.book.differ(...verdict.differences)
        case 'refund_due':
          return run.book.oweRefund({ ...placeOf(transfer), ...idsOf(verdict.payment), amountAtomic, isListed: verdict.isListed })
        case 'settled':
          run.book.differ(...verdict.differences)
          return auditDocuments(run, transfer, verdict.payment)
      }
    })
  }
  return undecided
}

async function auditDocuments(run: Run, transfer: AuthorizedTransfer, payment: AuditPayment): Promise<void> {
  const { receipt } = payment
  // Without a receipt nothing is released either, and the missing row was reported.
  if (receipt === null) return
  const place = { ...placeOf(transfer), ...idsOf(payment) }
  const documents = await checkDocuments(run, { ...payment, receipt }, place, run.keys)
  const { report } = run.book
  run.book.differ(...documents.differences)
  if (documents.receipt === 'good') report.receipts++
  if (documents.result === 'good') report.results++
  if (documents.result === 'expired') report.expiredResults++
}

/** What was being settled while we looked is given time; nothing else is. */
async function auditUndecided(run: Run, undecided: readonly AuthorizedTransfer[]): Promise<void> {
  const deadline = run.now() + run.undecidedWaitMs
  let left = undecided
  while (left.length > 0) {
    const isLast = run.now() >= deadline
    left = await auditTransfers(run, left, isLast)
    if (left.length > 0) await pause(LOOK_AGAIN_MS, undefined, { signal: run.signal })
  }
}

/** The way back: what the ledger calls settled, or late, and the chain's range did not show. */
async function auditPayments(run: Run, range: BlockRange): Promise<void> {
  for await (const payments of run.ledger.payments(range)) {
    run.signal.throwIfAborted()
    const left = payments.filter(({ paymentId }) => !run.judged.has(paymentId))
    await inParallel(left, async (payment) => {
      const found = await checkPaymentOnChain(run, range, payment)
      run.book.differ(...found.differences)
      if (found.refund !== undefined) run.book.oweRefund(found.refund)
    })
  }
}

async function auditReceipts(run: Run, range: BlockRange): Promise<void> {
  for await (const receipts of run.ledger.strayReceipts(await startOf(run, range))) {
    run.signal.throwIfAborted()
    for (const { receiptId, paymentId, jobId, payer, nonce, transaction } of receipts) {
      if (run.strays.has(receiptId)) continue
      const place = { receiptId, paymentId, jobId, payer, nonce, transaction }
      run.book.differ({ code: 'receipt_without_payment', detail: 'and no transfer in these blocks belongs to it', ...place })
    }
  }
}

// Receipts have no block of their own. Two clocks that are an hour apart are a fault of another kind.
const CLOCK_SLACK_MS = 3_600_000

async function startOf({ rpc }: Run, { from }: BlockRange): Promise<number> {
  if (from === 0n) return 0
  const { timestamp } = await rpc.client.getBlock({ blockNumber: from })
  return Math.max(0, Number(timestamp) * 1000 - CLOCK_SLACK_MS)
}

async function inParallel<T>(items: readonly T[], work: (item: T, place: number) => Promise<void> | void): Promise<void> {
  const entries = items.entries()
  const worker = async () => {
    for (const [place, item] of entries) await work(item, place)
  }
  await Promise.all(Array.from({ length: DOCUMENTS_AT_ONCE }, worker))
}
