import { randomUUID } from 'node:crypto'
import { AuditAuthorizations, AuditPayments, compile, type JobEvent, StrayReceipts } from '@turnpike/contracts'
import { createLogger, createMetrics, type InternalServer, startInternalServer } from '@turnpike/service'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalApi } from './internal-api.ts'
import { type Rig, type RigLedger, SIGNING_KEY, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded, unsuccessful } from './testing/signed-job.ts'

const TOKEN = 'a-token-of-the-test'
const STRAY = '/internal/audit/stray-receipts'
let rig: Rig
let ledger: RigLedger
let server: InternalServer

beforeAll(async () => {
  rig = await startRig()
  ledger = rig.ledger()
  server = await startInternalServer({
    host: '127.0.0.1',
    port: 0,
    checks: {},
    metrics: createMetrics('ledger'),
    logger: createLogger({ service: 'ledger', format: 'json', level: 'silent' }),
    handle: internalApi({
      database: rig.database,
      tokens: { commanding: [TOKEN], reading: [] },
      signingKeys: [SIGNING_KEY],
      settleStored: ledger.settleStored,
    }),
  })
})
afterAll(async () => {
  await server?.close()
  await rig?.stop()
})

const headers = { authorization: `Bearer ${TOKEN}` }
const call = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers, ...init })

async function settledJob(): Promise<JobEvent> {
  const job = await signedJob(rig.keyring, await rig.wallet(1))
  await ledger.recordJob(job)
  await ledger.take(succeeded(rig.keyring, job))
  return job
}
async function authorizationsOf(...jobs: { payer: string; nonce: string }[]) {
  const items = jobs.map(({ payer, nonce }) => ({ payer, nonce }))
  const answer = await call('/internal/audit/authorizations', { method: 'POST', body: JSON.stringify({ items }) })
  const parsed = compile(AuditAuthorizations)(await answer.json())
  if (!parsed.ok) throw new Error('not what was agreed')
  return parsed.value.items
}
async function pagesOf(query: string) {
  const items = []
  for (let cursor: string | undefined, more = true; more; ) {
    const parsed = compile(AuditPayments)(
      await (await call(`/internal/audit/payments?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`)).json(),
    )
    if (!parsed.ok) throw new Error('not what was agreed')
    items.push(...parsed.value.items)
    cursor = parsed.value.next
    more = cursor !== undefined
  }
  return items
}
async function asSuperuser(sql: string, values: unknown[]): Promise<void> {
  const client = new Client({ connectionString: rig.postgres.url })
  await client.connect()
  await client.query("SET session_replication_role = 'replica'")
  await client.query(sql, values)
  await client.end()
}

describe('the audit’s view of the ledger', () => {
  it('gives a settled payment with its job, its receipt and its response', async () => {
    const job = await settledJob()
    const [found] = await authorizationsOf(job)
    const { payer, nonce, payTo, jobId } = job
    expect(found).toMatchObject({ payer, nonce, wasPresented: true, hasOpenJob: false })
    const [payment, ...others] = found?.payments ?? []
    expect(others).toEqual([])
    expect(payment).toMatchObject({
      ...{ jobId, payer, nonce, payTo, amountAtomic: '2000', state: 'settled', settledOfKey: 1, resultMayBeGone: false },
      job: { amountAtomic: '2000', payer, payTo },
      receipt: { receiptId: found?.receiptId, jobId, payer, nonce, amountAtomic: '2000', transaction: payment?.transaction },
      settleResponse: { success: true, amount: '2000', transaction: payment?.transaction, payer },
    })
    expect(JSON.stringify(found)).not.toContain(job.keyHash)
  })

  it('tells an authorization that nobody presented, one in work, and one whose work failed', async () => {
    const [inWork, failed] = await Promise.all([0, 1].map(async () => signedJob(rig.keyring, await rig.wallet(1))))
    if (inWork === undefined || failed === undefined) throw new Error('no jobs')
    for (const job of [inWork, failed]) await ledger.recordJob(job)
    await ledger.take(unsuccessful(failed, 'failed'))
    const unknown = { payer: inWork.payer, nonce: `0x${'00'.repeat(32)}` }
    const nothing = { receiptId: null, payments: [] }
    expect(await authorizationsOf(unknown, failed, inWork)).toMatchObject([
      { ...nothing, wasPresented: false, hasOpenJob: false },
      { ...nothing, wasPresented: true, hasOpenJob: false },
      { ...nothing, wasPresented: true, hasOpenJob: true },
    ])
  })

  it('gives void payments too, which share their authorization with nobody', async () => {
    rig.facilitator.setMode('refuse')
    const job = await signedJob(rig.keyring, await rig.wallet(1))
    await ledger.recordJob(job)
    await ledger.take(succeeded(rig.keyring, job))
    rig.facilitator.setMode('pay')
    expect(await authorizationsOf(job)).toMatchObject([{ wasPresented: true, payments: [{ state: 'void', receipt: null }] }])
  })

  it('pages through what was settled, by block, each payment once', async () => {
    const jobs: JobEvent[] = []
    for (let at = 0; at < 3; at++) jobs.push(await settledJob())
    const all = await pagesOf('from=0&to=1000000')
    expect(all.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(jobs.map(({ jobId }) => jobId)))
    expect(new Set(all.map(({ paymentId }) => paymentId)).size).toBe(all.length)
    const blocks = all.map(({ blockAtStart }) => BigInt(blockAtStart))
    expect(blocks).toEqual(blocks.toSorted((one, other) => Number(one - other)))
    const [first] = all
    const rest = await pagesOf(`from=0&to=1000000&cursor=${first?.blockAtStart}_${first?.paymentId}`)
    expect(rest).toEqual(all.slice(1))
    expect(await pagesOf('from=1000000&to=2000000')).toEqual([])
  })

  it('finds a receipt whose payment is gone, and no other', async () => {
    const job = await settledJob()
    const strays = async () => {
      const parsed = compile(StrayReceipts)(await (await call(`${STRAY}?since=0`)).json())
      if (!parsed.ok) throw new Error('not what was agreed')
      return parsed.value.items
    }
    expect(await strays()).toEqual([])
    await asSuperuser('DELETE FROM payments WHERE job_id = $1', [job.jobId])
    const [stray, ...others] = await strays()
    expect(others).toEqual([])
    expect(stray).toMatchObject({ jobId: job.jobId, payer: job.payer, nonce: job.nonce })
    expect(await authorizationsOf(job)).toMatchObject([{ wasPresented: true, receiptId: stray?.receiptId, payments: [] }])
    const next = await call(`${STRAY}?since=0&cursor=${stray?.createdAt}_${stray?.receiptId}`)
    expect(await next.json()).toEqual({ items: [] })
  })

  it('refuses what it does not understand', async () => {
    const bad = ['', '?from=0', '?from=a&to=1', `?from=0&to=1&cursor=${randomUUID()}`, "?from=0&to=1&cursor=0_';--"]
    for (const query of bad) expect((await call(`/internal/audit/payments${query}`)).status, query).toBe(400)
    expect((await call(STRAY)).status).toBe(400)
    expect((await call('/internal/audit/authorizations', { method: 'POST', body: '{"items":[]}' })).status).toBe(400)
    expect((await call('/internal/audit/nothing')).status).toBe(404)
    expect((await call(`${STRAY}?since=0`, { headers: {} })).status).toBe(401)
  })
})
