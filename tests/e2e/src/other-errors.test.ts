import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '@turnpike/contracts'
import { fundWallet, type Stack } from '@turnpike/local'
import { mintMediaCapability, OBJECT_ID_BYTES, openKeyring } from '@turnpike/sealing'
import { clearFaults, post, quoteAndSign, setFaults } from '@turnpike/testing'
import { afterEach, expect, inject, it } from 'vitest'
import type { NOT_ON_A_PAID_REQUEST } from './failure-rows.ts'
import { rawExchange } from './hostile/raw-exchange.ts'
import { gatewaysReady, processesOf, stackNow } from './stack-under-test.ts'
import { send } from './transcription-requests.ts'

// The codes that the failure contract leaves out, each reached as a client would, on the running stack.

const stack = stackNow()
const get = (path: string, init: RequestInit = {}) => fetch(`${stack.baseUrl}${path}`, init)

type Answer = { status: number; text: string }
/** Where no client of a healthy gateway can get in the time of a test: the test beside the code that gets there. */
type Elsewhere = { provenIn: string }
type OtherCode = keyof typeof NOT_ON_A_PAID_REQUEST

const REACHED: Record<OtherCode, (() => Promise<Answer>) | Elsewhere> = {
  not_found: () => answerOf(get('/v1/nothing')),
  method_not_allowed: () => answerOf(get('/v1/chat/completions')),
  malformed_http: async () => {
    const answer = await rawExchange(new URL(stack.baseUrl), Buffer.from('GET / SPDY/1\r\n\r\n'), { hangsUp: false })
    if (typeof answer === 'string') throw new Error(answer)
    return { status: answer.status, text: answer.body }
  },
  receipt_token_required: () => answerOf(get(`/v1/receipts/${randomUUID()}`)),
  receipt_not_found: () =>
    answerOf(get(`/v1/receipts/${randomUUID()}`, { headers: { authorization: `Bearer ${randomUUID()}` } })),
  balance_unavailable: async () => {
    const [chain] = processesOf('chain')
    if (chain === undefined) throw new Error('this stack has no chain of its own')
    process.kill(chain.pid, 'SIGSTOP')
    try {
      return await answerOf(get(`/v1/balance?address=0x${randomBytes(20).toString('hex')}`))
    } finally {
      process.kill(chain.pid, 'SIGCONT')
      await gatewaysReady()
    }
  },
  media_not_found: () => answerOf(get('/v1/media/nothing')),
  media_expired: () => answerOf(get(`/v1/media/${capability({ expiresAtMs: Date.now() - 1_000 })}`)),
  range_not_satisfiable: async () => {
    const { data } = JSON.parse((await paidSpeech(randomUUID())).text) as { data: { url: string }[] }
    return answerOf(fetch(data[0]?.url ?? '', { headers: { range: 'bytes=999999999-' } }))
  },
  content_blocked: async () => {
    const marker = randomUUID()
    await setFaults(stack, [{ upstream: 'elevenlabs', kind: 'blocked', match: { bodyIncludes: marker } }])
    return paidSpeech(marker)
  },
  invalid_audio: () => answerOf(send('json', { baseUrl: stack.baseUrl, mp3: Buffer.from('RIFF no MP3 at all') })),
  audio_too_short: () => answerOf(send('multipart', { baseUrl: stack.baseUrl, mp3: silence(1) })),
  audio_too_long: () => answerOf(send('multipart', { baseUrl: stack.baseUrl, mp3: silence(48_751) })),
  audio_too_large: () => answerOf(send('multipart', { baseUrl: stack.baseUrl, mp3: silence(364_089) })),
  invalid_multipart: () =>
    answerOf(
      get('/v1/audio/transcriptions', {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b', 'x-idempotency-key': randomUUID() },
        body: '--b\r\nno header ends here',
      }),
    ),
  request_timeout: { provenIn: 'services/gateway/src/http/refuse-unreadable.test.ts' },
  internal_error: { provenIn: 'services/gateway/src/media/media-faults.test.ts' },
}

/** What the errors of the paid endpoints look like is the failure contract's to say. */
type ErrorBody = { error: { code: string; message: string; doc_url: string } }

afterEach(() => clearFaults(stack))

it.each(Object.entries(REACHED))('%s is reached, says what it is and where to read about it', async (code, reach) => {
  if ('provenIn' in reach) {
    const file = join(import.meta.dirname, '../../..', reach.provenIn)
    expect(existsSync(file) && readFileSync(file, 'utf8')).toContain(`code: '${code}'`)
    return
  }
  const { status, text } = await reach()
  expect(status, text).toBe(ERRORS[code as OtherCode].status)
  const { error } = JSON.parse(text) as ErrorBody
  expect(error).toMatchObject({ code, message: expect.stringMatching(/\w+ \w+/) })
  const page = await (await fetch(error.doc_url.split('#')[0] ?? '')).text()
  expect(page.split(`id="${error.doc_url.split('#')[1]}"`)).toHaveLength(2)
})

async function answerOf(sent: Promise<Response>): Promise<Answer> {
  const response = await sent
  return { status: response.status, text: await response.text() }
}

async function paidSpeech(input: string): Promise<Answer> {
  const request = { url: `${stack.baseUrl}/v1/audio/speech`, body: { model: 'el/flash-v2.5', input }, key: randomUUID() }
  const payment = await quoteAndSign(await fundWallet(stack as Stack, 1), request)
  return answerOf(post({ ...request, payment }))
}

function capability({ expiresAtMs }: { expiresAtMs: number }): string {
  const { mediaCapabilityKeys } = JSON.parse(readFileSync(join(inject('stackHome'), 'identity.json'), 'utf8')) as {
    mediaCapabilityKeys: string
  }
  const objectId = Buffer.concat([Buffer.alloc(4), randomBytes(OBJECT_ID_BYTES - 4)])
  return mintMediaCapability(openKeyring(mediaCapabilityKeys), { objectId, expiresAtMs })
}

/** Frames of MPEG-2.5 at 8 kbit/s and 8 kHz: 72 bytes that play 72 ms. */
function silence(frames: number): Buffer {
  const frame = Buffer.alloc(72)
  Buffer.from([0xff, 0xe3, 0x18, 0xc0]).copy(frame)
  return Buffer.alloc(frames * frame.length, frame)
}
