import { request as httpRequest } from 'node:http'
import { until } from '@turnpike/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WAITING_LIMITS } from '../http/byte-budget-queue.ts'
import { serveUploads, type UploadGateway } from '../transcription/testing/serve-uploads.ts'
import { formOf, framesOf } from '../transcription/testing/upload.ts'

const MIB = 1_048_576
const PATH = '/v1/audio/transcriptions'
// Room for 9 MiB of large bodies, 4.5 of one client.
let gateway: UploadGateway
beforeAll(async () => {
  gateway = await serveUploads({ maxBodyBytes: 12 * MIB, trustedProxies: 1 })
})
afterAll(() => gateway.close())

type Answer = { status: number; headers: Record<string, unknown>; body: { error?: { code: string; charged: string } | string } }
type Sending = { answer: Promise<Answer>; write(bytes: Buffer): void; end(bytes?: Buffer): void; destroy(): void }

/** A request of a client that closes its connection after one answer. */
function open(path: string, client: string, headers: Record<string, string | number>): Sending {
  const request = httpRequest(new URL(path, gateway.url), {
    method: 'POST',
    agent: false,
    headers: { 'x-forwarded-for': client, 'x-idempotency-key': 'a-key', ...headers },
  })
  const answer = new Promise<Answer>((resolve, reject) => {
    request.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    })
    request.on('error', reject)
  })
  answer.catch(() => {})
  request.flushHeaders()
  return {
    answer,
    write: (bytes) => void request.write(bytes),
    end: (bytes) => void request.end(bytes),
    destroy: () => request.destroy(),
  }
}

function send(body: Buffer, contentType: string, client = '192.0.2.1'): Promise<Answer> {
  const sending = open(PATH, client, { 'content-type': contentType, 'content-length': body.length })
  sending.end(body)
  return sending.answer
}
const codeOf = ({ body }: Answer) => (typeof body.error === 'object' ? body.error.code : body.error)
const metric = async (name: string) =>
  Number(new RegExp(`^${name}\\S* (\\S+)$`, 'm').exec(await (await fetch(`${gateway.url}/metrics`)).text())?.[1])

describe('an upload', () => {
  it.each([100, 8_000])('of %i frames gets the same price in both encodings', async (frames) => {
    const mp3 = framesOf(frames)
    const form = formOf([
      { name: 'file', content: mp3, filename: 'a.mp3' },
      { name: 'model', content: 'el/scribe-v2' },
    ])
    const json = Buffer.from(JSON.stringify({ model: 'el/scribe-v2', audio_base64: mp3.toString('base64') }))
    const answers = [await send(form.body, form.contentType), await send(json, 'application/json')]
    for (const { status, headers, body } of answers) {
      expect(status).toBe(402)
      expect(headers['payment-required']).toBe(answers[0]?.headers['payment-required'])
      expect(body).toMatchObject({ price: { type: 'fixed' } })
    }
    expect(await metric('turnpike_large_body_bytes')).toBe(0)
  })

  it('that is defective as a form is a 400, not an inspection', async () => {
    const answer = await send(Buffer.from('no form'), 'multipart/form-data; boundary=x')
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_multipart'])
    const other = await send(Buffer.from('no form'), 'audio/mpeg')
    expect([other.status, codeOf(other)]).toEqual([415, 'unsupported_media_type'])
  })

  it('beyond 36 MiB as JSON or 27 MiB as a form is a 413, also for a client that never stops sending', async () => {
    for (const [contentType, maxBytes] of [
      ['application/json', 36 * MIB],
      ['multipart/form-data; boundary=x', 27 * MIB],
    ] as const) {
      const answer = await send(Buffer.alloc(maxBytes + 1), contentType)
      expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large'])
    }
  })

  it('waits for room, its client only up to a number, and then all are served', async () => {
    const form = formOf([
      { name: 'file', content: framesOf(6_000) },
      { name: 'model', content: 'el/scribe-v2' },
    ])
    const headers = { 'content-type': form.contentType, 'content-length': form.body.length }
    const openOne = (client: string) => open(PATH, client, headers)
    const held = openOne('192.0.2.7')
    held.write(form.body.subarray(0, MIB))
    await until('the first to hold its room', async () => (await metric('turnpike_large_body_bytes')) > 0)
    const { maxClientWaiting } = WAITING_LIMITS
    const waiting = Array.from({ length: maxClientWaiting }, () => openOne('192.0.2.7'))
    await until('the others to wait', async () => (await metric('turnpike_large_bodies_waiting')) === maxClientWaiting)

    const refused = openOne('192.0.2.7')
    refused.end(form.body)
    const answer = await refused.answer
    expect([answer.status, codeOf(answer), answer.headers['retry-after']]).toEqual([429, 'rate_limited', '3'])
    const signed = open(PATH, '192.0.2.7', { ...headers, 'payment-signature': 'x' })
    signed.end(form.body)
    expect((await signed.answer).body.error).toMatchObject({ code: 'rate_limited', charged: 'unknown' })

    // Others are served meanwhile.
    expect((await send(form.body, form.contentType, '192.0.2.8')).status).toBe(402)
    held.end(form.body.subarray(MIB))
    for (const each of waiting) each.end(form.body)
    const ends = await Promise.all([held, ...waiting].map((each) => each.answer))
    expect(ends.map(({ status }) => status)).toEqual(Array(maxClientWaiting + 1).fill(402))
    expect(await metric('turnpike_large_body_bytes')).toBe(0)
  })

  it('leaves small requests their room', async () => {
    const form = formOf([{ name: 'file', content: framesOf(10_000) }])
    const headers = { 'content-type': form.contentType, 'content-length': form.body.length }
    const holding = ['192.0.2.1', '192.0.2.2'].map((client) => open(PATH, client, headers))
    for (const each of holding) each.write(form.body.subarray(0, MIB))
    await until('two to hold their room', async () => (await metric('turnpike_large_body_bytes')) > form.body.length)
    expect((await send(Buffer.from('{}'), 'application/json')).status).toBe(402)
    for (const each of holding) each.destroy()
    await until('their room to be free', async () => (await metric('turnpike_large_body_bytes')) === 0)
  })
})
