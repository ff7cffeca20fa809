import { randomUUID } from 'node:crypto'
import { catalogOf } from '@turnpike/catalog'
import { type LookupItem, MODELS, PAID_ENDPOINTS } from '@turnpike/contracts'
import { PublishError } from '@turnpike/kafka'
import { type PaymentRequirements, paymentRequirements } from '@turnpike/payments'
import { openKeyring } from '@turnpike/sealing'
import { createLogger, newTraceparent } from '@turnpike/service'
import { until } from '@turnpike/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { transcriptions } from '../endpoints/transcriptions.ts'
import { gatewayMetrics } from '../metrics.ts'
import { framesOf } from '../transcription/testing/upload.ts'
import { openBodyReader } from './body-reader.ts'
import type { Exchange, PaidDeps } from './deps.ts'
import { servePaidRequest } from './serve-paid-request.ts'

const PAY_TO = '0x00000000000000000000000000000000000000aa'
const PAYER = '0x00000000000000000000000000000000000000bb'
const IS_VALID_SIGNATURE = `0x1626ba7e${'0'.repeat(56)}`
/** As Redis keeps it. */
const shortOf = (fingerprint: string) => Buffer.from(fingerprint, 'hex').toString('base64url', 0, 16)
const never = () => new Promise<never>(() => {})

const bodyReader = openBodyReader({ threads: 1 })
afterAll(() => bodyReader.close())

/** A gateway whose payer is a contract that everybody takes for valid, over what a test says of keys, ledger and jobs. */
function gateway(given: { known?: Partial<LookupItem>; publish?: () => Promise<void>; deps?: object } = {}) {
  const happened: string[] = []
  let { known } = given
  const deps = {
    catalog: catalogOf(MODELS, PAID_ENDPOINTS),
    payTo: PAY_TO,
    contentKeys: openKeyring(`k1:${Buffer.alloc(32, 1).toString('base64')}`),
    waitBeyondDeadlineMs: 1_000,
    waitForUnknownSettlementMs: 1_000,
    keys: {
      read: async () => ({ state: 'none' }),
      bind: async () => ({ state: 'none' }),
      claim: async () => ({ status: 'claimed' }),
      extend: async () => true,
      giveBack: async () => true,
    },
    payers: { claim: async () => ({ status: 'claimed' }), extend: async () => {}, release: async () => {}, bind: async () => {} },
    total: { claim: async () => 'claimed', extend: async () => {}, release: async () => {} },
    safety: [],
    balances: { read: async () => ({ atomic: 10n ** 9n, version: 1 }) },
    payerCode: async () => true,
    rpc: { client: { getCode: async () => '0x60', readContract: async () => IS_VALID_SIGNATURE.slice(0, 10) } },
    announcer: { announce: async () => {} },
    releases: {
      next: (_keyHash: string, _timeoutMs: number, signal: AbortSignal) => {
        happened.push('waits')
        return signal.aborted ? Promise.resolve(false) : new Promise((woken) => setImmediate(woken, false))
      },
    },
    ledger: { lookup: async ({ keyHash }: { keyHash: string }) => ({ keyHash, state: 'unknown', ...known }) },
    facilitator: { verify: async () => ({ kind: 'valid' }) },
    publisher: {
      publish: async () => {
        happened.push('published')
        await given.publish?.()
      },
    },
    store: {},
    staging: {
      stage: async () => {
        happened.push('staged')
        return { ref: 'staging/x', sha256: '0'.repeat(64), bytes: 10 }
      },
      discard: async () => {},
    },
    gate: { closedBy: () => undefined, enter: () => () => {} },
    closedModels: { closure: () => undefined },
    bodyReader,
    metrics: gatewayMetrics(),
    logger: createLogger({ service: 'test', format: 'json', level: 'silent' }),
    now: Date.now,
    ...given.deps,
  } as unknown as PaidDeps
  const gone = new AbortController()
  const send = (paymentSignature?: string) => {
    const exchange: Exchange = { requestId: randomUUID(), traceparent: newTraceparent(), signal: gone.signal, log: deps.logger }
    const bytes = Buffer.from(JSON.stringify({ model: 'el/scribe-v2', audio_base64: framesOf(20).toString('base64') }))
    const body = { take: () => bytes, giveBack: () => void happened.push('room given back') }
    const incoming = { contentType: 'application/json', idempotencyKey: 'a-key', paymentSignature, body, client: '' }
    return servePaidRequest(deps, exchange, transcriptions, incoming)
  }
  return {
    happened,
    send,
    leave: () => gone.abort(),
    learns(item: Partial<LookupItem>) {
      known = item
    },
  }
}

async function signature(): Promise<string> {
  const answer = await gateway().send()
  if (answer.kind !== 'challenge') throw new Error(answer.kind)
  const { amountAtomic, maxTimeoutSeconds } = answer.challenge
  const accepted: PaymentRequirements = paymentRequirements({ amountAtomic, payTo: PAY_TO, maxTimeoutSeconds })
  const authorization = {
    from: PAYER,
    to: PAY_TO,
    value: amountAtomic.toString(),
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + maxTimeoutSeconds),
    nonce: `0x${'1'.repeat(64)}`,
  }
  const payload = { x402Version: 2, accepted, payload: { authorization, signature: `0x${'11'.repeat(64)}1b` } }
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

describe('the room of an upload', () => {
  it('is given back to whom has not paid before anything is waited for', async () => {
    const { happened, send } = gateway({ deps: { ledger: { lookup: never } } })
    void send()
    await until('the room', () => happened.includes('room given back'))
    expect(happened).toEqual(['room given back'])
  })

  it('is given back when the job is published, not before, and not again', async () => {
    const { happened, send, leave, learns } = gateway({ publish: async () => learns({ job: { state: 'admitted' } }) })
    const answer = send(await signature())
    await until('the wait', () => happened.filter((each) => each === 'waits').length > 3)
    expect(happened.slice(0, 4)).toEqual(['staged', 'published', 'room given back', 'waits'])
    leave()
    expect(await answer).toEqual({ kind: 'gone' })
    expect(happened.filter((each) => each === 'room given back')).toHaveLength(1)
  })

  it('is kept where the job was not published: the next look needs what was sent', async () => {
    const publish = () => Promise.reject(new PublishError('publish_unsent', 'away'))
    const { happened, send } = gateway({ publish })
    expect(await send(await signature())).toMatchObject({ kind: 'problem', problem: { code: 'dependency_unavailable' } })
    expect(happened).toEqual(['staged', 'published'])
  })

  it('is given back by whom joins a job that the ledger knows, and kept by whom may have to publish it', async () => {
    const claimed = { state: 'in_flight', jobId: 'b'.repeat(64), payer: PAYER, attempt: 0, leaseLeftMs: 60_000 }
    let record: object = { state: 'none' }
    const keys = {
      bind: async (_keyHash: string, fingerprint: string, quote: object) => {
        record = { ...claimed, fingerprint: shortOf(fingerprint), quote }
        return { state: 'none' }
      },
      read: async () => record,
    }
    const { happened, send, leave, learns } = gateway({ deps: { keys } })
    await send()
    happened.length = 0
    const answer = send(await signature())
    await until('some looks', () => happened.length > 5)
    expect(happened).not.toContain('room given back')
    learns({ job: { state: 'admitted' } })
    await until('the room', () => happened.includes('room given back'))
    leave()
    expect(await answer).toEqual({ kind: 'gone' })
    expect(happened).not.toContain('published')
  })
})

it('a key that is open again after its job was published is left to another copy: nothing is read that was let go', async () => {
  const { happened, send } = gateway()
  expect(await send(await signature())).toMatchObject({ kind: 'problem', problem: { code: 'idempotency_in_progress' } })
  expect(happened.filter((each) => each === 'published')).toHaveLength(1)
})
