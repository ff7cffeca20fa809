import type { ChainRpc, FacilitatorClient, SettlementFinding, SettleResult } from '@turnpike/payments'
import { findSettlement, verifyTransaction } from '@turnpike/payments'
import type { Ed25519PrivateJwk, Keyring } from '@turnpike/sealing'
import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { annotateSpan, inSpan } from '@turnpike/telemetry/tracing'
import type { CommitEvents } from './commit-events.ts'
import { commitSettlement } from './commit-settlement.ts'
import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'
import type { Notify } from './notify.ts'
import { type OpenedPayment, openPayment } from './open-payment.ts'
import { pause } from './pause.ts'
import { type Decision, decideSettlement } from './settlement-decision.ts'
import { countSubmission, readPayment, renewPayments, type UndecidedPayment } from './undecided-payment.ts'
import { noteLateTransfer, postponePayment, postponeWatch, voidPayment } from './void-payment.ts'

export type SettlementDeps = {
  database: Database
  facilitator: Pick<FacilitatorClient, 'settle'>
  chain: ChainRpc
  keyring: Keyring
  store: ObjectStore
  notify: Notify
  commitEvents: CommitEvents
  metrics: LedgerMetrics
  logger: Logger
  signingKey: Ed25519PrivateJwk
  /** This process, for the leases on payments. */
  owner: string
  leaseMs: number
  confirmations: number
  /** How long a transaction that the facilitator named may take until our own node shows it confirmed. */
  confirmWaitMs: number
  now: () => number
}

export type Settlement = {
  /** Submits a payment that this process has just made, and decides it if the chain lets it. */
  settleNew(paymentId: string, traceparent?: string): Promise<void>
  /** Looks at a payment that nobody has decided yet; submits it again where that can help. */
  resolve(paymentId: string): Promise<void>
  /** Keeps the leases of what is being worked on. */
  renew(): Promise<void>
  inHand(): number
}

const CONFIRM_POLL_MS = 200

export function openSettlement(deps: SettlementDeps): Settlement {
  const { database, owner, leaseMs } = deps
  const inHand = new Set<string>()
  deps.metrics.settlementsInHand.readBy((gauge) => gauge.set({}, inHand.size))
  const holding = async (paymentId: string, work: () => Promise<void>) => {
    // Its lease ran out under this process, which has not done with it.
    if (inHand.has(paymentId)) return
    inHand.add(paymentId)
    try {
      await work()
    } finally {
      inHand.delete(paymentId)
    }
  }
  const working = (name: string, paymentId: string, work: () => Promise<void>) => holding(paymentId, () => inSpan(name, {}, work))
  return {
    settleNew: (paymentId, traceparent) =>
      working('settle payment', paymentId, async () => {
        const payment = await readAndName(database, paymentId)
        if (payment.state !== 'settling') return
        const opened = await openOrSoundAlarm(deps, payment)
        if (opened.kind === 'unreadable') return postponePayment(deps, payment, `payment_${opened.reason}`)
        const answer = await submit(deps, payment, opened)
        const finding = await look(deps, payment, answer)
        await apply(deps, payment, decide(payment, payment.submissions, finding, answer), traceparent)
      }),
    resolve: (paymentId) =>
      working('reconcile payment', paymentId, async () => {
        const payment = await readAndName(database, paymentId)
        if (payment.state === 'void') return lookForLateTransfer(deps, payment)
        if (payment.state === 'settled') return
        const decision = decide(payment, payment.submissions, await look(deps, payment))
        if (decision.kind !== 'submit') return apply(deps, payment, decision)
        const opened = await openOrSoundAlarm(deps, payment)
        if (opened.kind === 'unreadable') return postponePayment(deps, payment, `payment_${opened.reason}`)
        const submissions = await countSubmission(database, payment.id)
        const answer = await submit(deps, payment, opened)
        const finding = await look(deps, payment, answer)
        await apply(deps, payment, decide(payment, submissions, finding, answer))
      }),
    async renew() {
      if (inHand.size > 0) await renewPayments(database, { owner, leaseMs, ids: [...inHand] })
    },
    inHand: () => inHand.size,
  }
}

/** A trace finds its payment by the ids that the logs have. */
async function readAndName(database: Database, paymentId: string): Promise<UndecidedPayment> {
  const payment = await readPayment(database, paymentId)
  annotateSpan({ 'turnpike.request_id': payment.requestId, 'turnpike.job_id': payment.jobId })
  return payment
}

function decide(payment: UndecidedPayment, submissions: number, finding: SettlementFinding, answer?: SettleResult): Decision {
  const state = payment.state === 'unknown' ? 'unknown' : 'settling'
  return decideSettlement({ state, validBefore: payment.validBefore, submissions, checks: payment.checks }, finding, answer)
}

/** Who operates this must see it: the payment waits until it can be read, or until its authorization has run out unused. */
async function openOrSoundAlarm(deps: SettlementDeps, payment: UndecidedPayment): Promise<OpenedPayment> {
  const opened = await openPayment(deps, payment)
  if (opened.kind === 'unreadable') {
    const { requestId, jobId } = payment
    const { reason, error } = opened
    deps.metrics.unreadablePayments.count({ reason })
    deps.logger.error({ requestId, jobId, reason, error }, 'stored payment is unreadable')
  }
  return opened
}

async function submit(
  { facilitator, metrics }: SettlementDeps,
  { payer, requestId }: UndecidedPayment,
  { payload, requirements }: Extract<OpenedPayment, { kind: 'opened' }>,
): Promise<SettleResult> {
  const answer = await facilitator.settle({ payload, requirements, payer, requestId })
  metrics.settlementAnswers.count({ answer: answer.kind === 'refused' ? `refused_${answer.blame}` : answer.kind })
  return answer
}

function look(deps: SettlementDeps, payment: UndecidedPayment, answer?: SettleResult): Promise<SettlementFinding> {
  return inSpan('confirm on chain', {}, async (span) => {
    const finding = await findOnChain(deps, payment, answer)
    span.set({ 'turnpike.outcome': finding.kind })
    return finding
  })
}

/** What our own node says. A transaction that the facilitator named is given a moment to show. */
async function findOnChain(deps: SettlementDeps, payment: UndecidedPayment, answer?: SettleResult): Promise<SettlementFinding> {
  const { chain, confirmations } = deps
  const { payer, nonce, payTo, amountAtomic } = payment
  const expected = { payer, nonce, payTo, amountAtomic, confirmations }
  if (answer?.kind === 'settled') {
    const until = deps.now() + deps.confirmWaitMs
    for (;;) {
      const finding = await verifyTransaction(chain, answer.transaction, expected)
      if (finding.kind === 'settled' || finding.kind === 'spent_elsewhere') return finding
      if (finding.kind === 'untouched' || deps.now() >= until) break
      await pause(CONFIRM_POLL_MS)
    }
  }
  return findSettlement(chain, { ...expected, fromBlock: payment.blockAtStart })
}

async function apply(deps: SettlementDeps, payment: UndecidedPayment, decision: Decision, traceparent?: string): Promise<void> {
  switch (decision.kind) {
    case 'commit':
      return inSpan('commit receipt', {}, () => commitSettlement(deps, payment, decision.transaction, traceparent))
    case 'void':
      return voidPayment(deps, payment, decision)
    case 'wait':
      return postponePayment(deps, payment, decision.reason)
    case 'submit':
      // A decision after an answer never asks for another submission.
      throw new Error('a payment was to be submitted twice in one check')
  }
}

/** A void payment whose authorization could still be used, past its validBefore: one last look. */
async function lookForLateTransfer(deps: SettlementDeps, payment: UndecidedPayment): Promise<void> {
  const finding = await look(deps, payment)
  switch (finding.kind) {
    case 'settled':
      return noteLateTransfer(deps, payment, finding.transaction)
    case 'spent_elsewhere':
      return noteLateTransfer(deps, payment, undefined)
    case 'unused':
      if (finding.confirmedBlockTimestamp >= payment.validBefore) return noteLateTransfer(deps, payment, undefined)
      return postponeWatch(deps, payment)
    case 'unconfirmed':
    case 'unavailable':
      return postponeWatch(deps, payment)
  }
}
