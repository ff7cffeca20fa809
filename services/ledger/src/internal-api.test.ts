import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { compile, type JobEvent, keyHashOf, LookupResponse, Receipt, Release } from '@turnpike/contracts'
import { createLogger, createMetrics, type InternalServer, startInternalServer } from '@turnpike/service'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internalApi } from './internal-api.ts'
import { type Rig, type RigLedger, SIGNING_KEY, startRig } from './testing/ledger-rig.ts'
import { signedJob, succeeded } from './testing/signed-job.ts'

const TOKEN = 'a-token-of-the-test'
const AUDIT_TOKEN = 'a-token-that-reads'
let rig: Rig
let ledger: RigLedger
let server: InternalServer
let job: JobEvent

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
      tokens: { commanding: [TOKEN], reading: [AUDIT_TOKEN] },
      signingKeys: [SIGNING_KEY],
      settleStored: ledger.settleStored,
    }),
  })
  job = await signedJob(rig.keyring, await rig.wallet(1))
  await ledger.recordJob(job)
  await ledger.take(succeeded(rig.keyring, job))
})
afterAll(async () => {
  await server?.close()
  await rig?.stop()
})

const call = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization: `Bearer ${TOKEN}` }, ...init })
const post = (path: string, body: unknown) =>
  call(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('the internal interface', () => {
  it.each(['/internal/jwks', '/internal/lookup', '/internal/nothing'])('gives %s to nobody without the token', async (path) => {
    for (const authorization of [undefined, '', 'Bearer', `Bearer ${AUDIT_TOKEN}`, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
      const answer = await call(path, { headers: authorization === undefined ? {} : { authorization } })
      expect(answer.status, String(authorization)).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  it('lets whoever may only read see the audit and the releases, and command nothing', async () => {
    const reads = (path: string, init: RequestInit = {}) =>
      call(path, { headers: { authorization: `Bearer ${AUDIT_TOKEN}` }, ...init })
    const body = JSON.stringify({ items: [] })
    expect((await reads(`/internal/releases/${job.jobId}`)).status).toBe(200)
    expect((await reads('/internal/audit/stray-receipts?since=0')).status).toBe(200)
    for (const path of ['/internal/settle-stored', '/internal/lookup']) {
      expect((await reads(path, { method: 'POST', body })).status, path).toBe(401)
    }
    expect((await reads('/internal/jwks')).status).toBe(401)
    expect(
      (await call('/internal/audit/stray-receipts?since=0', { headers: { authorization: 'Bearer another-token' } })).status,
    ).toBe(401)
  })

  it('looks up 500 items in one go, in their order, known and unknown', async () => {
    const known = { keyHash: job.keyHash, jobId: job.jobId, authorization: { payer: job.payer, nonce: job.nonce } }
    const unknown = Array.from({ length: 499 }, () => ({ keyHash: keyHashOf(randomUUID()) }))
    const items = [...unknown.slice(0, 250), known, ...unknown.slice(250)]
    const answer = await post('/internal/lookup', { items })
    const parsed = compile(LookupResponse)(await answer.json())
    if (!parsed.ok) throw new Error('not a lookup response')
    expect(parsed.value.items.map(({ keyHash }) => keyHash)).toEqual(items.map(({ keyHash }) => keyHash))
    expect(parsed.value.items[250]).toEqual({
      keyHash: job.keyHash,
      payerHasHistory: true,
      state: 'settled',
      key: { fingerprint: job.fingerprint, payer: job.payer, jobId: job.jobId, amountAtomic: '2000', attempts: 0 },
      authorizationOwner: { keyHash: job.keyHash, fingerprint: job.fingerprint },
      job: { state: 'succeeded' },
    })
    expect(parsed.value.items.filter(({ state }) => state === 'unknown')).toHaveLength(499)
  })

  it('gives a committed release and its receipt, and 404 for what is not there', async () => {
    const release = compile(Release)(await (await call(`/internal/releases/${job.jobId}`)).json())
    if (!release.ok) throw new Error('not a release')
    const receipt = await (await call(`/internal/receipts/${release.value.receiptId}`)).json()
    expect(compile(Receipt)(receipt).ok).toBe(true)
    const absent = [
      '/internal/releases/ffff',
      `/internal/releases/${'f'.repeat(64)}`,
      `/internal/receipts/${randomUUID()}`,
      '/internal/',
    ]
    for (const path of absent) expect((await call(path)).status, path).toBe(404)
  })

  it('publishes the keys that sign receipts, without their private part', async () => {
    const answer = (await (await call('/internal/jwks')).json()) as { keys: object[] }
    expect(answer.keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', kid: 'test-1', x: SIGNING_KEY.x, use: 'sig', alg: 'EdDSA' }])
  })

  it('takes well-formed bodies only', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      { items: [] },
      { items: [{ keyHash: 'short' }] },
      { items: Array(501).fill({ keyHash: job.keyHash }) },
    ]
    for (const body of bodies) expect((await post('/internal/lookup', body)).status, JSON.stringify(body).slice(0, 40)).toBe(400)
    expect((await post('/internal/settle-stored', { keyHash: job.keyHash })).status).toBe(400)
    expect((await call('/internal/lookup')).status).toBe(405)
    expect((await post('/internal/jwks', {})).status).toBe(405)
  })

  it('stops reading a body that is larger than any of its own', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const upload = request(
        { port: server.port, path: '/internal/lookup', method: 'POST', headers: { authorization: `Bearer ${TOKEN}` } },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      // The server may close while the rest is still on its way.
      upload.on('error', (error: NodeJS.ErrnoException) =>
        error.code === 'EPIPE' || error.code === 'ECONNRESET' ? undefined : reject(error),
      )
      upload.write(Buffer.alloc(600 * 1024, 'x'))
      upload.end()
    })
    expect(status).toBe(413)
  })
})
