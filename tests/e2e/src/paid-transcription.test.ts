import { randomUUID } from 'node:crypto'
import { sha256Hex } from '@turnpike/contracts'
import { fundWallet } from '@turnpike/local'
import { speechClip } from '@turnpike/sandbox'
import { callsWith, clearFaults, setFaults, transfersToSeller } from '@turnpike/testing'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'
import { stagingOf } from './staging-of-stack.ts'
import { type Encoding, MODEL, quoted, send, type Transcription } from './transcription-requests.ts'

const stack = stackNow()
const staging = stagingOf(stack)
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeAll(async () => {
  wallet = await fundWallet(stack, 20)
})
afterEach(() => clearFaults(stack))
afterAll(() => staging.close())

/** About five seconds, unlike any other. */
const clip = (title: string = randomUUID()) =>
  speechClip('Somebody said this sentence slowly and clearly into a microphone, a while ago.', { title })
const calls = async () => (await callsWith(stack, '')).filter(({ path }) => path === '/v1/speech-to-text').length
const transfers = async () => (await transfersToSeller(stack, wallet.address)).length
const hearFault = (kind: string, marker: string, more: object = {}) =>
  setFaults(stack, [{ upstream: 'elevenlabs', kind, match: { bodyIncludes: marker }, ...more }])

async function transcriptOf(response: Response): Promise<Transcription> {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text) as Transcription
}

describe('a paid transcription', () => {
  it.each<[Encoding, Encoding]>([
    ['json', 'json'],
    ['multipart', 'multipart'],
    ['multipart', 'json'],
  ])('quoted as %s and paid as %s costs its measured seconds and is what the receipt says', async (quotedAs, paidAs) => {
    await staging.isEmpty()
    const before = await calls()
    const request = await quoted(stack, wallet, quotedAs, { mp3: clip() })
    expect([await calls(), await staging.objects()]).toEqual([before, []])
    const response = await send(paidAs, request)
    const body = await transcriptOf(response.clone())
    expect(body).toEqual({
      id: expect.stringMatching(/^transcription_[0-9a-f]{32}$/),
      created: expect.any(Number),
      model: MODEL,
      text: expect.stringMatching(/^I heard \d+ milliseconds of audio\.$/),
      usage: { input_audio_ms: expect.any(Number) },
    })
    const durationMs = body.usage.input_audio_ms
    expect(Math.abs(Number(/\d+/.exec(body.text)?.[0]) - durationMs)).toBeLessThan(60)
    // 0.005 + seconds x 0.12 / 3600, rounded up once.
    const amountAtomic = 5_000n + (BigInt(Math.ceil(durationMs / 1_000)) * 120_000n + 3_599n) / 3_600n
    expect([request.amountAtomic, request.price.type]).toEqual([amountAtomic, 'fixed'])
    const { transaction } = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE') ?? '')
    const paid = (await transfersToSeller(stack, wallet.address)).filter((transfer) => transfer.transaction === transaction)
    expect(paid.map(({ value }) => value)).toEqual([amountAtomic])
    const receipt = await fetch(`${stack.baseUrl}/v1/receipts/${response.headers.get('x-receipt-id')}`, {
      headers: { authorization: `Bearer ${response.headers.get('x-receipt-token')}` },
    })
    expect(await receipt.json()).toMatchObject({
      endpoint: '/v1/audio/transcriptions',
      model: MODEL,
      price: { amount_atomic: String(amountAtomic), inputs: { audio_duration_ms: durationMs } },
      usage: { input_audio_ms: durationMs, provider_audio_ms: expect.any(Number) },
      response_sha256: sha256Hex(await response.text()),
    })
    expect(await calls()).toBe(before + 1)
    await staging.isEmpty()
  })

  it('has the words, speakers, events and language that were asked for', async () => {
    const options = {
      ...{ timestamps: 'character', diarize: true, num_speakers: 3, tag_audio_events: true },
      ...{ language: 'eng', response_format: 'verbose_json' },
    }
    const request = await quoted(stack, wallet, 'multipart', { mp3: clip(), options })
    // The other spelling of the same language, in the other encoding: still the same request.
    const body = await transcriptOf(await send('json', { ...request, options: { ...options, language: 'en' } }))
    expect(body).toMatchObject({ language: 'en', language_probability_millionths: 1_000_000 })
    const words = body.words ?? []
    expect(words.map(({ text }) => text).join('')).toBe(body.text)
    expect(new Set(words.map(({ speaker }) => speaker)).size).toBe(3)
    expect(words.at(-1)).toMatchObject({ type: 'audio_event', start: expect.any(Number), end: expect.any(Number) })
    expect(words[0]).toMatchObject({ text: 'I', type: 'word', characters: [{ text: 'I', start: 0 }] })
  })

  it('detects the language where none is named, and says so in verbose_json', async () => {
    const request = await quoted(stack, wallet, 'json', { mp3: clip(), options: { response_format: 'verbose_json' } })
    const body = await transcriptOf(await send('json', request))
    expect(body).toMatchObject({ language: 'en', language_probability_millionths: 987_500 })
    expect(body.words).toBeUndefined()
  })

  it('of silence is an empty text, and paid', async () => {
    const marker = randomUUID()
    await hearFault('no-content', marker)
    const before = await transfers()
    const request = await quoted(stack, wallet, 'json', { mp3: clip(marker) })
    expect((await transcriptOf(await send('json', request))).text).toBe('')
    expect(await transfers()).toBe(before + 1)
  })

  it('is answered again byte for byte, in the other encoding and by the other gateway, without a call or a charge', async () => {
    const request = await quoted(stack, wallet, 'multipart', { mp3: clip() })
    const response = await send('multipart', { ...request, fileName: 'one.mp3' })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    await staging.isEmpty()
    const [callsBefore, transfersBefore] = [await calls(), await transfers()]
    for (const [encoding, baseUrl] of [
      ['multipart', stack.gateways[0]],
      ['json', stack.gateways[1]],
    ] as const) {
      const again = await send(encoding, { ...request, baseUrl: baseUrl ?? stack.baseUrl, fileName: 'two.mp3' })
      expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([200, 'true', text])
      expect(again.headers.get('x-receipt-id')).toBe(response.headers.get('x-receipt-id'))
    }
    expect([await calls(), await transfers(), await staging.objects()]).toEqual([callsBefore, transfersBefore, []])
  })

  it('of other audio, or with other options, is another request', async () => {
    const mp3 = clip()
    const request = await quoted(stack, wallet, 'json', { mp3 })
    for (const other of [{ mp3: clip() }, { mp3, options: { diarize: true } }]) {
      const response = await send('multipart', { ...request, ...other })
      expect([response.status, await response.json()]).toMatchObject([409, { error: { code: 'idempotency_key_reused' } }])
    }
    await transcriptOf(await send('json', request))
  })
})

describe('audio that is none', () => {
  const wav = Buffer.concat([Buffer.from('RIFF\x00\x10\x00\x00WAVEfmt '), Buffer.alloc(9_000, 3)])
  it.each<[Encoding, string, Buffer, string]>([
    ['json', 'noise', Buffer.alloc(20_000, 7), 'invalid_audio'],
    ['multipart', 'noise', Buffer.alloc(20_000, 7), 'invalid_audio'],
    ['json', 'a WAV file', wav, 'invalid_audio'],
    ['multipart', 'three frames', clip().subarray(-3 * 418), 'audio_too_short'],
  ])('as %s is refused before any challenge: %s', async (encoding, _what, mp3, code) => {
    const response = await send(encoding, { baseUrl: stack.baseUrl, mp3 })
    expect(response.headers.get('PAYMENT-REQUIRED')).toBeNull()
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code, charged: 'no' } }])
  })
})

describe('a transcription that is not had is not charged', () => {
  it.each([
    ['the provider refuses', 'blocked', { status: 400, code: 'content_blocked' }, 0],
    ['the provider is overloaded', 'status-503', { status: 503, code: 'provider_overloaded' }, 0],
    ['it may have been executed', 'reset-before-response', { status: 503, code: 'provider_outcome_unknown' }, 1],
    ['the provider fails', 'status-500', { status: 503, code: 'provider_outcome_unknown' }, 1],
    ['the answer is cut off', 'truncated-body', { status: 503, code: 'provider_outcome_unknown' }, 1],
  ])('when %s', async (_what, kind, { status, code }, left) => {
    await staging.isEmpty()
    const marker = randomUUID()
    const before = await transfers()
    await hearFault(kind, marker)
    const request = await quoted(stack, wallet, 'json', { mp3: clip(marker) })
    const response = await send('json', request)
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code, charged: 'no' } }])
    expect(response.headers.get('x-receipt-id')).toBeNull()
    expect(await transfers()).toBe(before)
    if (left === 0) return await staging.isEmpty()
    // Nobody knows whether it is still needed: it lapses by itself, within the hour.
    const [key, ...others] = await staging.keys()
    expect([key === undefined, others]).toEqual([false, []])
    const leftMs = await staging.keyLifetimeMs(key ?? '')
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(3_600_000)
    expect(await staging.objects()).toHaveLength(1)
    await staging.clear()
  })

  it('when its data key is lost while it waits; the same signature then pays for a fresh staging', async () => {
    const marker = randomUUID()
    const [transfersBefore, callsBefore] = [await transfers(), await calls()]
    const request = await quoted(stack, wallet, 'json', { mp3: clip(marker) })
    const lost = await staging.losingKeys(() => send('json', request))
    expect([lost.status, await lost.json()]).toMatchObject([503, { error: { code: 'job_unreadable', charged: 'no' } }])
    expect([await transfers(), await calls()]).toEqual([transfersBefore, callsBefore])
    await staging.isEmpty()
    await transcriptOf(await send('json', request))
    expect([await transfers(), await calls()]).toEqual([transfersBefore + 1, callsBefore + 1])
    await staging.isEmpty()
  })

  it('when the provider recovers, by the same signature, from audio that was staged anew', async () => {
    const marker = randomUUID()
    await hearFault('status-429', marker)
    const request = await quoted(stack, wallet, 'multipart', { mp3: clip(marker) })
    expect((await send('multipart', request)).status).toBe(503)
    await clearFaults(stack)
    await transcriptOf(await send('multipart', request))
    await staging.isEmpty()
  })
})
