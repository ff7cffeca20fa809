import { randomUUID } from 'node:crypto'
import { NETWORK, type SettleResponse } from '@turnpike/payments'
import type { Ed25519PrivateJwk } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { CommitEvents } from './commit-events.ts'
import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Notify } from './notify.ts'
import { issueReceipt } from './receipt-document.ts'
import type { UndecidedPayment } from './undecided-payment.ts'

type Deps = {
  database: Database
  notify: Notify
  commitEvents: Pick<CommitEvents, 'publish'>
  metrics: LedgerMetrics
  logger: Logger
  signingKey: Ed25519PrivateJwk
  now: () => number
}

/**
 * Transaction B: payment settled, receipt issued, key settled. Called with a transfer that the chain confirmed; calling it again, from
 * wherever, changes nothing.
 */
export async function commitSettlement(
  deps: Deps,
  payment: UndecidedPayment,
  transaction: string,
  traceparent?: string,
): Promise<void> {
  const { database, notify, commitEvents, metrics, logger, signingKey } = deps
  const { id, jobId, requestId, responseSha256, usage } = payment
  if (responseSha256 === null || usage === null) throw new Error('an undecided payment lost its result')
  const receiptId = randomUUID()
  const committedAt = deps.now()
  const receipt = issueReceipt({
    id: receiptId,
    payment: { ...payment, responseSha256, usage },
    transaction,
    createdAtMs: committedAt,
    signingKey,
  })
  const [committed] = await database.rows<{ became: 'settled' | 'already_settled' | 'late' | 'taken_over' }>`
    SELECT became FROM commit_settlement(${id}::uuid, ${transaction}, ${JSON.stringify(settleResponse(payment, transaction))}::json,
      ${receiptId}::uuid, ${JSON.stringify(receipt)}::json)`
  switch (committed?.became) {
    case 'settled': {
      metrics.paymentMoves.count({ from: payment.state, to: 'settled' })
      metrics.settlement.observe({}, (committedAt - payment.createdAt.getTime()) / 1000)
      metrics.settledUsdc.count({}, Number(payment.amountAtomic) / 1e6)
      logger.info({ requestId, jobId, receiptId, from: payment.state }, 'payment settled')
      await notify.keyMoved({ ...payment, settled: true })
      return commitEvents.publish({ ...payment, paymentId: id, receiptId, transaction, committedAt }, traceparent)
    }
    case 'late':
      metrics.lateTransfers.count({})
      logger.error({ requestId, jobId, paymentId: id }, 'a transfer landed for a void payment: refund it')
      return
    case 'already_settled':
    case 'taken_over':
      return
    case undefined:
      throw new Error('commit_settlement returned nothing')
  }
}

/** Composed here and stored once, so that PAYMENT-RESPONSE is the same for every release, whoever sent the transaction. */
function settleResponse({ payer, amountAtomic }: UndecidedPayment, transaction: string): SettleResponse {
  return { success: true, transaction, network: NETWORK, payer, amount: amountAtomic.toString() }
}
