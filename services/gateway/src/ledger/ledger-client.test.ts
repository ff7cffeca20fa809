import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyHashOf, type LookupItem, type LookupRequest } from '@turnpike/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import { type LedgerClient, LedgerUnavailable, openLedgerClient } from './ledger-client.ts'

type Reply = { status?: number; body?: unknown } | 'hang_up'
type Call = { method: string; path: string; authorization: string | undefined; body: unknown }
type TestLedger = { url: string; calls: Call[] }

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function ledger(answer: (call: Call) => Reply | Promise<Reply>): Promise<TestLedger> {
  const calls: Call[] = []
  const server: Server = createServer((request, response) => void serve(request, response))
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request) text += chunk
    const call = {
      method: request.method ?? '',
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: text === '' ? undefined : JSON.parse(text),
    }
    calls.push(call)
    const reply = await answer(call)
    if (reply === 'hang_up') return void response.destroy()
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' })
    response.end(reply.body === undefined ? '' : typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}

function client(...urls: string[]): LedgerClient {
  const opened = openLedgerClient({ urls, token: 'an-internal-token' })
  open.unshift(() => opened.close())
  return opened
}

const itemsOf = (call: Call) => (call.body as LookupRequest).items
const unknown = ({ keyHash }: { keyHash: string }): LookupItem => ({ keyHash, state: 'unknown' })
const allUnknown = (call: Call): Reply => ({ body: { items: itemsOf(call).map(unknown) } })
const key = (index: number) => keyHashOf(`key ${index}`)
/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:1'

describe('a look-up', () => {
  it('asks with the token and gives back the item of its own key', async () => {
    const { url, calls } = await ledger(allUnknown)
    const item = {
      keyHash: key(1),
      authorization: { payer: `0x${'a'.repeat(40)}`, nonce: `0x${'b'.repeat(64)}` },
      jobId: 'c'.repeat(64),
    }
    expect(await client(`${url}/`).lookup(item)).toEqual(unknown(item))
    expect(calls).toEqual([
      { method: 'POST', path: '/internal/lookup', authorization: 'Bearer an-internal-token', body: { items: [item] } },
    ])
  })

  it('travels with those that arrive together, up to 500 in one call, and each gets its own', async () => {
    const { url, calls } = await ledger(allUnknown)
    const ledgerClient = client(url)
    const found = await Promise.all(Array.from({ length: 1_700 }, (_, index) => ledgerClient.lookup({ keyHash: key(index) })))
    expect(found.map(({ keyHash }) => keyHash)).toEqual(Array.from({ length: 1_700 }, (_, index) => key(index)))
    // Enough for a call goes at once, twice; what gathers behind those two goes when one of them is back.
    expect(calls.map((call) => itemsOf(call).length).sort((a, b) => a - b)).toEqual([32, 32, 136, 500, 500, 500])
  })

  it('never has more than two calls under way', async () => {
    let under = 0
    let most = 0
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { url, calls } = await ledger(async (call) => {
      most = Math.max(most, ++under)
      await held
      under--
      return allUnknown(call)
    })
    const ledgerClient = client(url)
    const all = Promise.all(Array.from({ length: 5_000 }, (_, index) => ledgerClient.lookup({ keyHash: key(index) })))
    await expect.poll(() => calls.length).toBe(2)
    release()
    expect(await all).toHaveLength(5_000)
    expect(calls).toHaveLength(12)
    expect(most).toBe(2)
  })

  it('waits behind a call under way until that is back, or enough for a call of its own has gathered', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { url, calls } = await ledger(async (call) => {
      if (calls.length === 1) await held
      return allUnknown(call)
    })
    const ledgerClient = client(url)
    const first = ledgerClient.lookup({ keyHash: key(0) })
    await expect.poll(() => calls.length).toBe(1)
    const enough = Array.from({ length: 32 }, (_, index) => ledgerClient.lookup({ keyHash: key(1 + index) }))
    expect(ledgerClient.waiting()).toBe(0)
    const more = ledgerClient.lookup({ keyHash: key(99) })
    expect(ledgerClient.waiting()).toBe(1)
    await Promise.all([...enough, more])
    expect(calls.map((call) => itemsOf(call).length)).toEqual([1, 32, 1])
    release()
    expect(await first).toMatchObject({ keyHash: key(0) })
  })

  it('does not wait for a call that is slow', async () => {
    let release = () => {}
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const { url, calls } = await ledger(async (call) => {
      if (calls.length === 1) await slow
      return allUnknown(call)
    })
    const ledgerClient = client(url)
    const held = ledgerClient.lookup({ keyHash: key(1) })
    await expect.poll(() => calls.length).toBe(1)
    expect(await ledgerClient.lookup({ keyHash: key(2) })).toMatchObject({ keyHash: key(2) })
    expect(calls.map((call) => itemsOf(call).length)).toEqual([1, 1])
    release()
    expect(await held).toMatchObject({ keyHash: key(1) })
  })

  it('of one batch that fails does not take others with it', async () => {
    const { url } = await ledger((call) => (itemsOf(call)[0]?.keyHash === key(0) ? { status: 503 } : allUnknown(call)))
    const ledgerClient = client(url)
    const results = await Promise.allSettled(
      Array.from({ length: 501 }, (_, index) => ledgerClient.lookup({ keyHash: key(index) })),
    )
    const rejected = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))
    expect(rejected).toEqual(Array.from({ length: 32 }, (_, index) => index))
    expect(await ledgerClient.lookup({ keyHash: key(9) })).toMatchObject({ state: 'unknown' })
  })
})

describe('an answer that is not as agreed', () => {
  const taken = {
    fingerprint: 'f'.repeat(64),
    payer: `0x${'a'.repeat(40)}`,
    jobId: '1'.repeat(64),
    amountAtomic: '2000',
    attempts: 0,
  }

  it.each<[string, (call: Call) => Reply]>([
    ['text', () => ({ body: '<html>' })],
    ['nothing', () => ({})],
    ['another shape', () => ({ body: { rows: [] } })],
    ['too few items', () => ({ body: { items: [] } })],
    ['too many items', (call) => ({ body: { items: [...itemsOf(call), ...itemsOf(call)].map(unknown) } })],
    ['the item of another key', () => ({ body: { items: [unknown({ keyHash: key(77) })] } })],
    ['a state of nobody', (call) => ({ body: { items: itemsOf(call).map(({ keyHash }) => ({ keyHash, state: 'lost' })) } })],
    [
      'a settled key without its owner',
      (call) => ({ body: { items: itemsOf(call).map(({ keyHash }) => ({ keyHash, state: 'settled' })) } }),
    ],
    [
      'an amount that is a number',
      (call) => ({
        body: {
          items: itemsOf(call).map(({ keyHash }) => ({ keyHash, state: 'settled', key: { ...taken, amountAtomic: 2000 } })),
        },
      }),
    ],
    ['a refusal of the token', () => ({ status: 401, body: { error: 'no' } })],
    ['a fault', () => ({ status: 500, body: { error: 'no' } })],
    ['a closed connection', () => 'hang_up'],
  ])('decides nothing: %s', async (_what, answer) => {
    const { url } = await ledger(answer)
    await expect(client(url).lookup({ keyHash: key(1) })).rejects.toBeInstanceOf(LedgerUnavailable)
  })

  it('decides nothing for a release, a settlement, a receipt or the keys either', async () => {
    const { url } = await ledger(() => ({ status: 200, body: '{"status":"perhaps"}' }))
    const command = { ...taken, keyHash: key(1), nonce: `0x${'b'.repeat(64)}`, validBefore: 1, payment: { inline: '' } }
    await expect(client(url).release('1'.repeat(64))).rejects.toBeInstanceOf(LedgerUnavailable)
    await expect(client(url).settleStored(command)).rejects.toBeInstanceOf(LedgerUnavailable)
    const broken = await ledger(() => ({ status: 403, body: {} }))
    await expect(client(broken.url).receipt('r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await expect(client(broken.url).jwks()).rejects.toBeInstanceOf(LedgerUnavailable)
    expect(await client(broken.url).ready()).toBe(false)
  })
})

describe('with replicas', () => {
  it('one that is dead costs a second try and no answer, however many ask at once', async () => {
    const { url } = await ledger((call) => (call.method === 'POST' ? allUnknown(call) : { status: 404 }))
    const ledgerClient = client(DEAD, url)
    const all = Array.from({ length: 200 }, (_, index) => [
      ledgerClient.lookup({ keyHash: key(index) }),
      ledgerClient.release('1'.repeat(64)),
    ]).flat()
    const results = await Promise.allSettled(all)
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([])
    expect(await ledgerClient.ready()).toBe(false)
  })

  it('one that answers 503 is passed over', async () => {
    const broken = await ledger(() => ({ status: 503, body: {} }))
    const healthy = await ledger(() => ({ status: 200, body: { ready: true } }))
    const ledgerClient = client(broken.url, healthy.url)
    for (let round = 0; round < 4; round++) expect(await ledgerClient.ready()).toBe(true)
    expect(broken.calls.length).toBeGreaterThan(0)
  })

  it('all of which are dead the ledger is unavailable', async () => {
    await expect(client(DEAD, DEAD).lookup({ keyHash: key(1) })).rejects.toBeInstanceOf(LedgerUnavailable)
    expect(await client(DEAD).ready()).toBe(false)
  })

  it('a single one gets a second try', async () => {
    let calls = 0
    const { url } = await ledger((call) => (++calls === 1 ? 'hang_up' : allUnknown(call)))
    expect(await client(url).lookup({ keyHash: key(1) })).toMatchObject({ state: 'unknown' })
  })
})

it('what is not there is undefined, and a settlement has its status', async () => {
  const { url, calls } = await ledger((call) => (call.method === 'POST' ? { body: { status: 'conflict' } } : { status: 404 }))
  const ledgerClient = client(url)
  expect(await ledgerClient.release('1'.repeat(64))).toBeUndefined()
  expect(await ledgerClient.receipt('some-receipt')).toBeUndefined()
  const command = {
    keyHash: key(1),
    jobId: '1'.repeat(64),
    fingerprint: 'f'.repeat(64),
    payer: `0x${'a'.repeat(40)}`,
    nonce: `0x${'b'.repeat(64)}`,
    validBefore: 1,
    amountAtomic: '2000',
    payment: { inline: '' },
  }
  expect(await ledgerClient.settleStored(command)).toBe('conflict')
  expect(calls.map(({ path }) => path)).toEqual([
    `/internal/releases/${'1'.repeat(64)}`,
    '/internal/receipts/some-receipt',
    '/internal/settle-stored',
  ])
})
