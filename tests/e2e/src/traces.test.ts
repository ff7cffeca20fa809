import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fundWallet } from '@turnpike/local'
import { chat, post, quoteAndSign, until } from '@turnpike/testing'
import { expect, inject, it } from 'vitest'
import { type ReceivedSpan, spansIn } from './otlp-receiver.ts'
import { logsOf, stackNow } from './stack-under-test.ts'

const CHAT = '/v1/chat/completions'
const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const spansOf = (traceId: string) => spansIn(readFileSync(inject('spansFile'), 'utf8')).filter((span) => span.traceId === traceId)

async function paid(path: string, body: object, headers: Record<string, string> = {}) {
  const stack = stackNow()
  const url = `${stack.baseUrl}${path}`
  const wallet = await fundWallet(stack, 1)
  const key = randomUUID()
  const payment = await quoteAndSign(wallet, { url, body, key })
  const response = await post({ url, body, key, payment, headers })
  expect(response.status, await response.clone().text()).toBe(200)
  return { key, payment, response, requestId: response.headers.get('x-request-id') ?? 'none' }
}

/** What a paid chat completion is, seen from outside: who does what, under whom. */
const PAID_CHAT = [
  ['gateway', `POST ${CHAT}`, 'the client'],
  ['gateway', 'look up key', `POST ${CHAT}`],
  ['gateway', 'prove payer', `POST ${CHAT}`],
  ['gateway', 'claim key', `POST ${CHAT}`],
  ['gateway', 'POST /verify', `POST ${CHAT}`],
  ['facilitator', 'POST /verify', 'POST /verify'],
  ['gateway', 'claim exposure', `POST ${CHAT}`],
  ['gateway', 'send jobs.text', `POST ${CHAT}`],
  ['ledger', 'process jobs.text', 'send jobs.text'],
  ['text-worker', 'process jobs.text', 'send jobs.text'],
  ['text-worker', 'chat gm-2.5-flash-lite', 'process jobs.text'],
  ['text-worker', 'send outcomes', 'process jobs.text'],
  ['ledger', 'process outcomes', 'send outcomes'],
  ['ledger', 'settle payment', 'process outcomes'],
  ['ledger', 'POST /settle', 'settle payment'],
  ['facilitator', 'POST /settle', 'POST /settle'],
  ['ledger', 'confirm on chain', 'settle payment'],
  ['ledger', 'commit receipt', 'settle payment'],
  ['ledger', 'send commits', 'commit receipt'],
  ['gateway', 'wait for commit', `POST ${CHAT}`],
  ['gateway', 'release result', `POST ${CHAT}`],
  ['gateway', 'GET /internal/releases/{jobId}', 'release result'],
  ['ledger', 'GET /internal/releases/{jobId}', 'GET /internal/releases/{jobId}'],
].map(([service, name, parent]) => `${service}: ${name} under ${parent}`)

function described(spans: ReceivedSpan[], client: string): string[] {
  const names = new Map([[client, 'the client'], ...spans.map(({ spanId, name }) => [spanId, name] as const)])
  return spans.map(({ service, name, parentSpanId }) => `${service}: ${name} under ${names.get(parentSpanId) ?? 'nobody'}`)
}

it('a paid request is one trace from the edge over Kafka to the upstream call, the settlement and the release', async () => {
  const [traceId, client] = [hex(16), hex(8)]
  const { requestId } = await paid(CHAT, chat('Hello'), { traceparent: `00-${traceId}-${client}-01` })
  const spans = await until('every span to arrive', () => {
    const found = spansOf(traceId)
    const missing = PAID_CHAT.filter((wanted) => !described(found, client).includes(wanted))
    if (missing.length > 0) throw new Error(`missing: ${missing.join(' | ')}`)
    return found
  })
  expect([...new Set(described(spans, client))].sort()).toEqual([...PAID_CHAT].sort())
  expect(spans.filter(({ isError }) => isError)).toEqual([])

  const root = spans.find(({ name }) => name === `POST ${CHAT}`)
  expect(root?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.route': CHAT,
    'http.response.status_code': 200,
    'turnpike.request_id': requestId,
  })
  const call = spans.find(({ name }) => name.startsWith('chat '))
  expect(call?.attributes).toMatchObject({ 'gen_ai.request.model': 'gm-2.5-flash-lite', 'turnpike.outcome': 'succeeded' })
  expect(call?.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0)
  // Everything but the end of the commit event lies between the begin and the end of the answer.
  const late = spans.filter(({ startMs }) => startMs < (root?.startMs ?? 0))
  expect(late).toEqual([])
})

it('a request whose trace is not sampled leaves no span anywhere, and goes on under its trace', async () => {
  const [quiet, loud] = [hex(16), hex(16)]
  await paid(CHAT, chat('Quiet'), { traceparent: `00-${quiet}-${hex(8)}-00` })
  await paid(CHAT, chat('Loud'), { traceparent: `00-${loud}-${hex(8)}-01` })
  await until('the later one to arrive from everybody', () => new Set(spansOf(loud).map(({ service }) => service)).size >= 4)
  expect(spansOf(quiet)).toEqual([])
})

it('a malformed trace is none: the request begins one of its own', async () => {
  const { requestId } = await paid(CHAT, chat('Lost'), { traceparent: `00-${'0'.repeat(32)}-${hex(8)}-01` })
  const root = await until('its root', () =>
    spansIn(readFileSync(inject('spansFile'), 'utf8')).find(
      ({ name, attributes }) => name === `POST ${CHAT}` && attributes['turnpike.request_id'] === requestId,
    ),
  )
  expect(root.traceId).not.toMatch(/^0+$/)
  expect(root.parentSpanId).toBe('')
})

it('one request id is followed through the logs of every service, and its trace with it', async () => {
  const traceId = hex(16)
  const { requestId } = await paid(CHAT, chat('Follow me'), { traceparent: `00-${traceId}-${hex(8)}-01` })
  const said = await until('all four to have spoken', () => {
    const lines = ['gateway', 'text-worker', 'ledger', 'facilitator'].map((name) =>
      logsOf(name)
        .split('\n')
        .filter((line) => line.includes(requestId))
        .map((line) => JSON.parse(line) as { service: string; requestId: string; traceId?: string; msg: string }),
    )
    return lines.every(({ length }) => length > 0) && lines.flat().some(({ msg }) => msg === 'released')
      ? lines.flat()
      : undefined
  })
  expect([...new Set(said.map(({ service, msg }) => `${service}: ${msg}`))].sort()).toEqual([
    'facilitator: answered',
    'gateway: job published',
    'gateway: released',
    'ledger: job recorded',
    'ledger: payment settled',
    'text-worker: job done',
  ])
  expect(said.filter((line) => line.requestId !== requestId || line.traceId !== traceId)).toEqual([])
})

it('no prompt, answer, key, payment, signature, token, receipt or address of a file is in any span', async () => {
  const prompt = `secret prompt ${randomUUID()}`
  const text = await paid(CHAT, chat(prompt))
  const image = await paid('/v1/images/generations', { model: 'gm-3.1-flash-lite-image', prompt: `a fox ${prompt}` })
  const { data } = (await image.response.clone().json()) as { data: { url: string }[] }
  const url = data[0]?.url ?? 'none'
  expect((await fetch(url)).status).toBe(200)
  const token = text.response.headers.get('x-receipt-token') ?? 'none'
  await fetch(`${stackNow().baseUrl}/v1/receipts/${text.response.headers.get('x-receipt-id')}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { payload } = JSON.parse(Buffer.from(text.payment, 'base64').toString()) as {
    payload: { signature: string; authorization: { nonce: string; from: string } }
  }
  const { choices } = (await text.response.json()) as { choices: { message: { content: string } }[] }
  const secrets = {
    prompt,
    answer: choices[0]?.message.content ?? 'none',
    key: text.key,
    imageKey: image.key,
    payment: text.payment,
    signature: payload.signature.slice(2),
    nonce: payload.authorization.nonce.slice(2),
    payer: payload.authorization.from.slice(2),
    token,
    receipt: text.response.headers.get('x-receipt-id') ?? 'none',
    capability: url.slice(url.lastIndexOf('/') + 1),
  }
  await until('the spans of both and of the download', () => {
    const spans = spansIn(readFileSync(inject('spansFile'), 'utf8'))
    const ids = new Set(spans.map(({ attributes }) => attributes['turnpike.request_id']))
    return ids.has(text.requestId) && ids.has(image.requestId) && spans.some(({ name }) => name === 'GET /v1/media/:capability')
  })
  const bytes = readFileSync(inject('spansFile'), 'utf8')
  for (const [what, secret] of Object.entries(secrets)) {
    expect(secret.length, what).toBeGreaterThan(8)
    expect(bytes.toLowerCase().includes(secret.toLowerCase()), what).toBe(false)
  }
})

it('every attribute of every span that any test made is on the list, short and from a closed set', () => {
  const spans = spansIn(readFileSync(inject('spansFile'), 'utf8'))
  expect(spans.length).toBeGreaterThan(50)
  const names = new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))
  expect([...names].filter((name) => !/^(http|url|messaging|gen_ai|error|turnpike)\./.test(name))).toEqual([])
  const values = spans.flatMap(({ attributes }) => Object.entries(attributes))
  const long = values.filter(
    ([name, value]) => typeof value === 'string' && value.length > (name === 'turnpike.job_id' ? 64 : 48),
  )
  expect(long).toEqual([])
  // Names of spans are few however many requests there were: of routes, whatever the method, and of all else.
  const METHOD = /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|QUERY|_OTHER) /
  const named = [...new Set(spans.map(({ name }) => name))]
  expect(new Set(named.filter((name) => METHOD.test(name)).map((name) => name.replace(METHOD, ''))).size).toBeLessThan(40)
  expect(named.filter((name) => !METHOD.test(name)).length).toBeLessThan(60)
})
