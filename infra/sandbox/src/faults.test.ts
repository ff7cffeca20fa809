import { createHash } from 'node:crypto'
import { ApiError } from '@google/genai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminClient } from './admin-client.ts'
import { bytesOf, officialClient as elevenlabs } from './elevenlabs/official-client.ts'
import type { FaultKind } from './fault-list.ts'
import { officialClient as gemini, post } from './gemini/official-client.ts'
import { defaultElevenLabsApiKey, type Sandbox, startSandbox } from './start-sandbox.ts'

let sandbox: Sandbox
let admin: ReturnType<typeof adminClient>
beforeAll(async () => {
  sandbox = await startSandbox()
  admin = adminClient(sandbox)
})
beforeEach(async () => {
  await admin.send('DELETE', '/faults')
  await admin.send('DELETE', '/calls')
})
afterAll(() => sandbox.close())

const model = 'gemini-2.5-flash'
const ask = (contents = 'hello') => gemini(sandbox).models.generateContent({ model, contents })
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
const outcomes = async () => (await admin.calls()).map(({ outcome }) => outcome)
const fault = (kind: FaultKind, extra: object = {}) => admin.setFaults([{ upstream: 'gemini', kind, ...extra }])

async function speak(text = 'hello'): Promise<Buffer> {
  const stream = await elevenlabs(sandbox).textToSpeech.convert('JBFqnCBsd6RMkjVDRZzb', { text, modelId: 'eleven_flash_v2_5' })
  return bytesOf(stream)
}

describe('faults, as the official clients meet them', () => {
  it.each<[FaultKind, number, string]>([
    ['status-429', 429, 'RESOURCE_EXHAUSTED'],
    ['status-500', 500, 'INTERNAL'],
    ['status-503', 503, 'UNAVAILABLE'],
  ])('%s is the vendors’ own error', async (kind, status, name) => {
    await admin.setFaults([
      { upstream: 'gemini', kind },
      { upstream: 'elevenlabs', kind },
    ])
    const error = await failure(ask())
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status })
    expect(JSON.parse((error as ApiError).message)).toMatchObject({ error: { code: status, status: name } })
    expect(await failure(speak())).toMatchObject({ statusCode: status, body: { detail: { code: expect.any(String) } } })
    expect(await outcomes()).toEqual([`fault:${kind}`, `fault:${kind}`])
  })

  it('status-429 says when to retry', async () => {
    await fault('status-429')
    expect(String(await failure(ask()))).toContain('"retryDelay":"26s"')
  })

  it('reset-before-response ends the connection without a byte', async () => {
    await fault('reset-before-response')
    const error = await failure(post(sandbox, model, { contents: [] }))
    expect(error).toMatchObject({ cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) } })
    expect(await outcomes()).toEqual(['fault:reset-before-response'])
  })

  it('hang answers nothing until the client gives up', async () => {
    await fault('hang')
    const giveUp = new AbortController()
    const waiting = failure(abortable(giveUp.signal))
    await expect.poll(() => outcomes()).toEqual(['fault:hang'])
    giveUp.abort()
    expect(await waiting).toMatchObject({ name: 'AbortError' })
  })

  it('truncated-body ends in the middle, for text and for speech', async () => {
    await admin.setFaults([
      { upstream: 'gemini', kind: 'truncated-body' },
      { upstream: 'elevenlabs', kind: 'truncated-body' },
    ])
    const response = await raw('hello')
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100)
    expect(await failure(response.text())).toMatchObject({ message: 'terminated' })
    expect(await failure(speak())).toBeInstanceOf(Error)
    expect(await outcomes()).toEqual(['fault:truncated-body', 'fault:truncated-body'])
  })

  it('invalid-json is a 200 that does not parse', async () => {
    await fault('invalid-json')
    const response = await raw('hello')
    expect(response.status).toBe(200)
    await expect(response.json()).rejects.toBeInstanceOf(SyntaxError)
  })

  it('blocked is a 200 without candidates, and a 403 for speech', async () => {
    await admin.setFaults([
      { upstream: 'gemini', kind: 'blocked' },
      { upstream: 'elevenlabs', kind: 'blocked' },
    ])
    const answer = await ask()
    expect(answer.promptFeedback?.blockReason).toBe('PROHIBITED_CONTENT')
    expect(answer.candidates).toBeUndefined()
    expect(answer.usageMetadata?.promptTokenCount).toBeGreaterThan(0)
    expect(await failure(speak())).toMatchObject({ statusCode: 403, body: { detail: { code: 'content_against_policy' } } })
  })

  it('no-content is a 200 that holds nothing', async () => {
    await admin.setFaults([
      { upstream: 'gemini', kind: 'no-content' },
      { upstream: 'elevenlabs', kind: 'no-content' },
    ])
    const text = await ask()
    expect(text.candidates?.[0]).toEqual({ content: { role: 'model' }, finishReason: 'STOP', index: 0 })
    const image = await gemini(sandbox).models.generateContent({ model: 'gemini-3.1-flash-lite-image', contents: 'x' })
    expect(image.candidates?.[0]?.finishReason).toBe('NO_IMAGE')
    expect(await speak()).toHaveLength(0)
  })

  it('latency is the normal answer, not before its time', async () => {
    await fault('latency', { ms: 300 })
    const askedAt = performance.now()
    expect((await ask('slow')).text).toBe('You said: slow')
    // A timer of 300 ms may be due at 299 of another clock.
    expect(performance.now() - askedAt).toBeGreaterThanOrEqual(299)
    expect(await outcomes()).toEqual(['fault:latency'])
  })

  it('whoever still waits for the latency is answered when the faults are taken back, not when they are replaced', async () => {
    await fault('latency', { ms: 600_000 })
    const held = ask('held')
    await expect.poll(() => outcomes()).toEqual(['pending'])
    await admin.setFaults([])
    expect((await ask('another')).text).toBe('You said: another')
    expect(await outcomes()).toEqual(['pending', 'ok'])
    await admin.send('DELETE', '/faults')
    expect((await held).text).toBe('You said: held')
    expect(await outcomes()).toEqual(['fault:latency', 'ok'])
  })

  it('a client that leaves during the latency is recorded as gone', async () => {
    await fault('latency', { ms: 600_000 })
    const leave = new AbortController()
    const waiting = failure(abortable(leave.signal))
    await expect.poll(() => outcomes()).toEqual(['pending'])
    leave.abort()
    await waiting
    await expect.poll(() => outcomes()).toEqual(['client-gone'])
  })
})

describe('which calls a fault applies to', () => {
  it('the first `times` ones, then no more', async () => {
    await fault('status-500', { times: 2 })
    expect(await failure(ask())).toBeInstanceOf(ApiError)
    expect(await admin.faults()).toEqual([{ upstream: 'gemini', kind: 'status-500', times: 1 }])
    expect(await failure(ask())).toBeInstanceOf(ApiError)
    expect((await ask()).text).toBe('You said: hello')
    expect(await admin.faults()).toEqual([])
    expect(await outcomes()).toEqual(['fault:status-500', 'fault:status-500', 'ok'])
  })

  it('those whose path and raw bytes match, multipart included; the first match wins', async () => {
    await admin.setFaults([
      { upstream: 'gemini', kind: 'status-503', match: { pathIncludes: 'flash-lite' } },
      { upstream: 'gemini', kind: 'status-500', match: { bodyIncludes: 'poison ☠' } },
      { upstream: 'elevenlabs', kind: 'status-500', match: { bodyIncludes: 'name="diarize"' } },
    ])
    expect((await ask()).text).toBe('You said: hello')
    expect(await failure(ask('a poison ☠'))).toMatchObject({ status: 500 })
    expect((await post(sandbox, 'gemini-2.5-flash-lite', { contents: [] })).status).toBe(503)
    const form = new FormData()
    form.append('model_id', 'scribe_v2')
    form.append('diarize', 'true')
    const response = await fetch(`${sandbox.elevenlabsUrl}/v1/speech-to-text`, { method: 'POST', body: form })
    expect(response.status).toBe(500)
    expect(await admin.calls()).toContainEqual(expect.objectContaining({ model: 'scribe_v2', outcome: 'fault:status-500' }))
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '[', 'the body is not JSON'],
    ['no list', { upstream: 'gemini' }, 'must be a JSON array'],
    ['no upstream', [{ kind: 'hang' }], 'faults[0].upstream must be one of gemini, elevenlabs'],
    ['an unknown kind', [{ upstream: 'gemini', kind: 'slow' }], 'faults[0].kind must be one of latency'],
    ['latency without ms', [{ upstream: 'gemini', kind: 'latency' }], 'faults[0].ms is required'],
    ['times of zero', [{ upstream: 'gemini', kind: 'hang', times: 0 }], 'faults[0].times must be'],
    ['an unknown member', [{ upstream: 'gemini', kind: 'hang', delay: 1 }], 'faults[0].delay is not a member'],
    [
      'a bad match',
      [
        { upstream: 'gemini', kind: 'hang' },
        { upstream: 'gemini', kind: 'hang', match: { path: 'x' } },
      ],
      'faults[1].match.path is not',
    ],
  ])('a list with %s is a 400 that says so and changes nothing', async (_title, list, problem) => {
    await fault('status-500')
    const response = await admin.send('PUT', '/faults', list)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { error: string }).error).toContain(problem)
    expect(await admin.faults()).toHaveLength(1)
  })
})

function raw(text: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${sandbox.geminiUrl}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': 'sandbox-gemini-key' },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text }] }] }),
    ...(signal ? { signal } : {}),
  })
}

function abortable(signal: AbortSignal): Promise<Response> {
  return raw('hello', signal)
}

it('records speech by its text and model, with the hash of the body as it came', async () => {
  const body = '{"text": "read me",  "model_id": "eleven_flash_v2_5"}'
  await fetch(`${sandbox.elevenlabsUrl}/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb?output_format=mp3_44100_128`, {
    method: 'POST',
    headers: { 'xi-api-key': defaultElevenLabsApiKey },
    body,
  }).then((response) => response.arrayBuffer())
  const [call] = await admin.calls()
  expect(call).toEqual({
    n: expect.any(Number),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    upstream: 'elevenlabs',
    path: '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb',
    model: 'eleven_flash_v2_5',
    text: 'read me',
    bodySha256: createHash('sha256').update(body).digest('hex'),
    outcome: 'ok',
  })
})

it('records the text of a request that it refuses too, and of every dialect of roles', async () => {
  await admin.send('DELETE', '/calls')
  await post(sandbox, model, { contents: [{ role: 'user', parts: [{ text: 'odd', colour: 1 }, { text: 5 }] }] })
  await post(sandbox, model, { contents: [{ parts: [{ text: 'plain' }] }] })
  await post(sandbox, model, 'no json')
  expect((await admin.calls()).map(({ text, outcome }) => [text, outcome])).toEqual([
    ['odd', 'ok'],
    ['plain', 'ok'],
    ['', 'ok'],
  ])
})
