import type { KeyRecord } from '@turnpike/admission'
import { KEY_STATES, type KeyState, type LookupItem } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { standingOf } from './standing.ts'

const mine = 'a1'.repeat(32)
const other = 'b2'.repeat(32)
const short = (fingerprint: string) => Buffer.from(fingerprint.slice(0, 32), 'hex').toString('base64url')
const payer = `0x${'1'.repeat(40)}`
const redisPayer = `0x${'2'.repeat(40)}`
const quote = { amountAtomic: 3_000n, catalogVersion: 'v' }
const failure = { code: 'provider_overloaded' } as const

const records = {
  none: { state: 'none' },
  quoted: { state: 'quoted', fingerprint: short(mine), quote },
  quotedByOther: { state: 'quoted', fingerprint: short(other), quote },
  inFlight: inFlight(short(mine), 5_000, 0),
  inFlightSecond: inFlight(short(mine), 5_000, 1),
  lapsed: inFlight(short(mine), 0, 0),
  inFlightByOther: inFlight(short(other), 5_000, 0),
} satisfies Record<string, KeyRecord>
type RecordName = keyof typeof records

function inFlight(fingerprint: string, leaseLeftMs: number, attempt: number): KeyRecord {
  return { state: 'in_flight', fingerprint, quote, jobId: 'redis-job', payer: redisPayer, attempt, leaseLeftMs }
}

function known(state: KeyState, attempts = 0, fingerprint = mine): LookupItem {
  if (state === 'unknown') return { keyHash: 'k', state }
  return {
    keyHash: 'k',
    state,
    key: { fingerprint, payer, jobId: 'ledger-job', amountAtomic: '2000', attempts, failure, settlementFailure: 'nonce used' },
  }
}

const owned = { payer, jobId: 'ledger-job', amountAtomic: 2_000n }
const byRedis = { kind: 'in_flight', payer: redisPayer, jobId: 'redis-job', amountAtomic: 3_000n }

/** The states in which the ledger's word is the last one, whatever Redis says. */
const decided: [KeyState, object][] = [
  ['in_flight', { kind: 'in_flight', ...owned }],
  ['settling', { kind: 'settling', ...owned }],
  ['settlement_unknown', { kind: 'settlement_unknown', ...owned }],
  ['settled', { kind: 'settled', ...owned }],
  ['awaiting_payment', { kind: 'awaiting_payment', ...owned, why: 'nonce used' }],
  ['ambiguous', { kind: 'ambiguous', failure }],
  ['expired', { kind: 'expired' }],
]

/** Where the ledger has nothing to say, or says that the key is free again after one failure. */
const open: [KeyState, number, RecordName, object][] = [
  ['unknown', 0, 'none', { kind: 'open', quote: undefined, attempt: 0, mayRun: false }],
  ['unknown', 0, 'quoted', { kind: 'open', quote, attempt: 0, mayRun: false }],
  ['unknown', 0, 'quotedByOther', { kind: 'reused' }],
  ['unknown', 0, 'inFlight', byRedis],
  ['unknown', 0, 'inFlightSecond', byRedis],
  // Its job may be on its way to the ledger.
  ['unknown', 0, 'lapsed', { kind: 'open', quote, attempt: 0, mayRun: true }],
  ['unknown', 0, 'inFlightByOther', { kind: 'reused' }],
  ['free', 1, 'none', { kind: 'open', quote: undefined, attempt: 1, onlyFor: payer, mayRun: false }],
  ['free', 1, 'quoted', { kind: 'open', quote, attempt: 1, onlyFor: payer, mayRun: false }],
  ['free', 1, 'quotedByOther', { kind: 'reused' }],
  // The attempt that failed is history in Redis, whatever is left of its lease; the one after it is not.
  ['free', 1, 'inFlight', { kind: 'open', quote, attempt: 1, onlyFor: payer, mayRun: false }],
  ['free', 1, 'inFlightSecond', byRedis],
  ['free', 1, 'lapsed', { kind: 'open', quote, attempt: 1, onlyFor: payer, mayRun: false }],
  ['free', 1, 'inFlightByOther', { kind: 'reused' }],
]

describe('where a request stands', () => {
  it('is stated here for every state of the ledger', () => {
    expect([...new Set([...decided.map(([state]) => state), ...open.map(([state]) => state)])].sort()).toEqual(
      [...KEY_STATES].sort(),
    )
  })

  const everyRecord = Object.keys(records) as RecordName[]
  it.each(decided.flatMap(([state, standing]) => everyRecord.map((record) => [state, record, standing] as const)))(
    'when the ledger says %s and Redis %s, the ledger has the last word',
    (state, record, standing) => {
      expect(standingOf(mine, records[record], known(state))).toEqual(standing)
    },
  )

  it.each(open)('when the ledger says %s after %i failures and Redis %s', (state, attempts, record, standing) => {
    expect(standingOf(mine, records[record], known(state, attempts))).toEqual(standing)
  })

  it('is that of a stranger under every key that the ledger gave to another request', () => {
    for (const state of KEY_STATES.filter((each) => each !== 'unknown')) {
      for (const record of everyRecord)
        expect(standingOf(mine, records[record], known(state, 1, other)), `${state} ${record}`).toEqual({ kind: 'reused' })
    }
  })

  it('compares the whole fingerprint with the ledger, not the part that Redis keeps', () => {
    const twin = `${mine.slice(0, 32)}${'0'.repeat(32)}`
    expect(standingOf(twin, records.quoted, known('settled'))).toEqual({ kind: 'reused' })
  })
})
