import { type KeyRecord, type Quote, sameRequest } from '@turnpike/admission'
import type { JobFailure, LookupItem } from '@turnpike/contracts'

/**
 * Where a request stands under its key: what Redis and the ledger say, made one. The ledger has the last word on every key that
 * it knows to be taken; Redis speaks for what the ledger has not seen yet.
 */
export type Standing =
  /** Another effective request owns the key. */
  | { kind: 'reused' }
  /**
   * Nobody has it in flight: quote it, or admit a payment for it. A key that was admitted before is for that payer only. `mayRun`: a
   * claim has lapsed here, and its job may be on its way to the ledger.
   */
  | { kind: 'open'; quote: Quote | undefined; attempt: number; onlyFor: string | undefined; mayRun: boolean }
  /** A job was admitted and has no result yet. `payer` is who paid. */
  | { kind: 'in_flight'; payer: string; jobId: string; amountAtomic: bigint }
  | { kind: 'settling' | 'settlement_unknown'; payer: string; jobId: string; amountAtomic: bigint }
  | { kind: 'settled'; payer: string; jobId: string; amountAtomic: bigint }
  /** The result is stored; its payment failed for sure. */
  | { kind: 'awaiting_payment'; payer: string; jobId: string; amountAtomic: bigint; why: string | undefined }
  | { kind: 'ambiguous'; failure: JobFailure | undefined }
  | { kind: 'expired' }

export function standingOf(fingerprint: string, record: KeyRecord, known: LookupItem): Standing {
  const { key, state } = known
  if (key !== undefined && state !== 'unknown') {
    if (key.fingerprint !== fingerprint) return { kind: 'reused' }
    const owned = { payer: key.payer, jobId: key.jobId, amountAtomic: BigInt(key.amountAtomic) }
    switch (state) {
      case 'in_flight':
        return { kind: 'in_flight', ...owned }
      case 'settling':
      case 'settlement_unknown':
      case 'settled':
        return { kind: state, ...owned }
      case 'awaiting_payment':
        return { kind: 'awaiting_payment', ...owned, why: key.settlementFailure }
      case 'ambiguous':
        return { kind: 'ambiguous', failure: key.failure }
      case 'expired':
        return { kind: 'expired' }
      case 'free':
        break
    }
  }
  const attempts = key?.attempts ?? 0
  const open = { kind: 'open', attempt: attempts, onlyFor: key?.payer, mayRun: false } as const
  if (record.state === 'none') return { ...open, quote: undefined }
  if (!sameRequest(record, fingerprint)) return { kind: 'reused' }
  // A record of an attempt that the ledger has seen fail is history; so is a lease that ran out before the ledger saw its job.
  if (record.state === 'in_flight' && record.attempt >= attempts && record.leaseLeftMs > 0) {
    return { kind: 'in_flight', payer: record.payer, jobId: record.jobId, amountAtomic: record.quote.amountAtomic }
  }
  const lapsed = record.state === 'in_flight' && record.attempt >= attempts
  return { ...open, quote: record.quote, mayRun: lapsed }
}
