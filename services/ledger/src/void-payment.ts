import type { Logger } from '@turnpike/service'
import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Notify } from './notify.ts'
import type { PaymentState } from './payment-states.ts'
import { checkDelayMs } from './settlement-decision.ts'
import type { UndecidedPayment } from './undecided-payment.ts'

type Deps = { database: Database; notify: Notify; metrics: LedgerMetrics; logger: Logger }

const WATCH_DELAY_MS = 30_000
// As long as the result waits for a new signature: work that was done and not paid counts against its payer, and against all together.
const OWED_FOR_MS = 3_600_000
// Longer than the longest time between two checks.
const UNDECIDED_FOR_MS = 300_000

/** The payment failed for sure: the result waits an hour for a new signature. */
export async function voidPayment(
  deps: Deps,
  payment: UndecidedPayment,
  verdict: { reason: string; onlyFirst: boolean; watched: boolean },
): Promise<void> {
  const { database, notify, metrics, logger } = deps
  const { reason, onlyFirst, watched } = verdict
  const [row] = await database.$queryRaw<{ state: PaymentState }[]>`
    SELECT void_payment(${payment.id}::uuid, ${reason}, ${onlyFirst}, ${watched}) AS state`
  if (row?.state === 'settling' || row?.state === 'unknown') return postponePayment(deps, payment, reason)
  if (row?.state !== 'void') return
  metrics.paymentMoves.count({ from: payment.state, to: 'void' })
  logger.warn({ requestId: payment.requestId, jobId: payment.jobId, reason }, 'payment void')
  await notify.stillOwed({ ...payment, forMs: OWED_FOR_MS })
}

/** Nobody knows yet: the key says so, and the chain is asked again later. */
export async function postponePayment(deps: Deps, payment: UndecidedPayment, reason: string): Promise<void> {
  const { database, notify, metrics, logger } = deps
  const { id, requestId, jobId, checks } = payment
  const [row] = await database.$queryRaw<{ state: PaymentState }[]>`
    SELECT postpone_payment(${id}::uuid, ${reason}, ${checkDelayMs(checks)}::integer) AS state`
  if (row?.state !== 'unknown') return
  await notify.stillOwed({ ...payment, forMs: UNDECIDED_FOR_MS })
  if (payment.state === 'unknown') return
  metrics.paymentMoves.count({ from: payment.state, to: 'unknown' })
  logger.warn({ requestId, jobId, reason }, 'settlement is unknown')
}

/** The watch over a void payment ends; a transaction that no other payment of its authorization has is kept on it for refund. */
export async function noteLateTransfer(deps: Deps, payment: UndecidedPayment, transaction: string | undefined): Promise<void> {
  const { database, metrics, logger } = deps
  const [row] = await database.$queryRaw<{ kept: boolean }[]>`
    SELECT note_late_transfer(${payment.id}::uuid, ${transaction ?? null}::text) AS kept`
  if (row?.kept !== true) return
  metrics.lateTransfers.count({})
  logger.error(
    { requestId: payment.requestId, jobId: payment.jobId, paymentId: payment.id },
    'a transfer landed for a void payment: refund it',
  )
}

export async function postponeWatch(deps: Pick<Deps, 'database'>, payment: UndecidedPayment): Promise<void> {
  await deps.database.$executeRaw`
    UPDATE payments SET owner = NULL, next_check_at = now() + make_interval(secs => ${WATCH_DELAY_MS}::integer / 1000.0)
    WHERE id = ${payment.id}::uuid`
}
