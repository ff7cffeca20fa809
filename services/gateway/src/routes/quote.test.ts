import { EXAMPLES, PAID_ENDPOINTS, type PaidEndpoint, TEXT_MODELS } from '@turnpike/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveUploads, type UploadGateway } from '../transcription/testing/serve-uploads.ts'
import { framesOf } from '../transcription/testing/upload.ts'

const MIB = 1_048_576
let gateway: UploadGateway
beforeAll(async () => {
  gateway = await serveUploads()
})
afterAll(() => gateway.close())

type Body = {
  price: { amount: string; amount_atomic: string; lines: { amount_usd: string }[] }
  payment_requirements: object
  error: string | { code: string; param: string | null; message: string; charged: string }
}
type Answer = { status: number; headers: Headers; body: Body }

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body }
}

const quote = (endpoint: string, request: unknown) => post('/v1/quote', { endpoint, request })
const challenge = (endpoint: string, request: unknown) => post(endpoint, request, { 'x-idempotency-key': 'a-key' })
const errorOf = ({ status, body }: Answer) => {
  const error = typeof body.error === 'object' ? body.error : undefined
  return { status, code: error?.code, param: error?.param, message: error?.message }
}
function requiredOf({ headers }: Answer) {
  const header = headers.get('payment-required') ?? ''
  return JSON.parse(Buffer.from(header, 'base64').toString()) as { accepts: [{ amount: string }] }
}

const mp3 = framesOf(8_000).toString('base64')
const text = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'What is a turnpike?' }],
  ...more,
})
const REQUESTS: [string, PaidEndpoint, object][] = [
  ...TEXT_MODELS.map((model): [string, PaidEndpoint, object] => [
    model,
    '/v1/chat/completions',
    text(model, { max_tokens: 4_000 }),
  ]),
  ['the default ceiling', '/v1/chat/completions', text('gm-2.5-pro')],
  ['the second tier', '/v1/messages', { ...text('gm-2.5-pro', { max_tokens: 9 }), system: '7 '.repeat(150_000) }],
  ['a long prompt', '/v1/messages', { ...text('gm-2.5-flash', { max_tokens: 65_536 }), system: 'A road. '.repeat(9_000) }],
  ['an image', '/v1/images/generations', EXAMPLES['/v1/images/generations'].request],
  ['a speech', '/v1/audio/speech', { model: 'el/flash-v2.5', input: 'é🎉'.repeat(700) }],
  ['an MP3', '/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_base64: mp3 }],
]

describe('a quote', () => {
  it.each(REQUESTS)('is what the challenge of the same request asks for: %s, %s', async (_name, endpoint, request) => {
    const [quoted, challenged] = [await quote(endpoint, request), await challenge(endpoint, request)]
    expect(quoted.status, JSON.stringify(quoted.body)).toBe(200)
    expect(challenged.status).toBe(402)
    const [accepted] = requiredOf(challenged).accepts
    expect(quoted.body).toMatchObject({ object: 'quote', endpoint, price: { amount_atomic: accepted.amount, currency: 'USDC' } })
    expect(quoted.body.payment_requirements).toEqual(accepted)
    const sum = quoted.body.price.lines.reduce((total, { amount_usd }) => total + Number(amount_usd), 0)
    expect(Math.abs(sum - Number(quoted.body.price.amount))).toBeLessThan(1e-6)
  })

  it('of a transcription takes the duration in place of the audio', async () => {
    const withAudio = await quote('/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_base64: mp3 })
    const byDuration = await quote('/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_duration_ms: 208_980 })
    expect(byDuration.body).toEqual(withAudio.body)
    const longest = await quote('/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_duration_ms: 3_510_000 })
    expect(longest.body.price.amount).toBe('0.122')
  })

  it.each([
    [{ audio_duration_ms: 3_510_001 }, 'audio_too_long', 'audio_duration_ms'],
    [{ audio_duration_ms: 1 }, 'audio_too_short', 'audio_duration_ms'],
    [{ audio_duration_ms: 1.5 }, 'invalid_value', 'audio_duration_ms'],
    [{ audio_duration_ms: '1000' }, 'invalid_value', 'audio_duration_ms'],
    [{ audio_duration_ms: 1_000, audio_base64: mp3 }, 'invalid_value', 'audio_duration_ms'],
    [{ audio_duration_ms: 1_000, language: 'xx' }, 'unsupported_value', 'language'],
    [{ audio_duration_ms: 1_000, model: 'gm-2.5-pro' }, 'model_not_available', 'model'],
    [{ audio_duration_ms: 1_000, model: undefined }, 'missing_required_field', 'model'],
  ])('of a transcription refuses %j', async (given, code, param) => {
    expect(errorOf(await quote('/v1/audio/transcriptions', { model: 'el/scribe-v2', ...given }))).toMatchObject({
      status: 400,
      code,
      param,
    })
  })

  it.each([
    ['/v1/chat/completions', text('gpt-5')],
    ['/v1/chat/completions', text('gm-2.5-pro', { stream: true })],
    ['/v1/chat/completions', text('gm-2.5-pro', { functions: [] })],
    ['/v1/chat/completions', text('gm-2.5-pro', { messages: [] })],
    ['/v1/messages', { ...text('gm-2.5-pro', { max_tokens: 9 }), system: '7'.repeat(1_100_000) }],
    ['/v1/images/generations', { model: 'gm-3.1-flash-lite-image', prompt: 'x', n: 2 }],
    ['/v1/audio/speech', { model: 'el/flash-v2.5', input: '' }],
    ['/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_base64: 'AAAA' }],
    ['/v1/audio/speech', { model: 'el/flash-v2.5', input: 'x'.repeat(70_000) }],
  ] as const)('refuses what %s refuses, in the same words', async (endpoint, request) => {
    const refused = await challenge(endpoint, request)
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(refused.status).not.toBe(402)
    const { error } = refused.body as { error: { code: string; message: string } }
    expect(errorOf(await quote(endpoint, request))).toMatchObject({
      status: refused.status,
      code: error.code,
      message: error.message,
    })
  })

  it.each([
    ['{', 400, 'invalid_json', null],
    ['', 400, 'invalid_json', null],
    ['[]', 400, 'missing_required_field', 'body'],
    ['{}', 400, 'missing_required_field', 'endpoint'],
    [{ endpoint: '/v1/chat/completions' }, 400, 'missing_required_field', 'request'],
    [{ endpoint: '/v1/chat/completions', request: 7 }, 400, 'missing_required_field', 'body'],
    [{ endpoint: '/v1/chat/completions', request: {} }, 400, 'missing_required_field', 'model'],
    [{ endpoint: '/v1/models', request: {} }, 400, 'invalid_value', 'endpoint'],
    [{ endpoint: '/v1/messages', request: {}, [`${'x'.repeat(9_000)}`]: 1 }, 400, 'unsupported_field', 'body'],
    [`{"endpoint":"/v1/messages","request":${'['.repeat(200)}${']'.repeat(200)}}`, 400, 'invalid_value', 'body'],
  ])('of %j is refused', async (body, status, code, param) => {
    expect(errorOf(await post('/v1/quote', body))).toMatchObject({ status, code, param })
  })

  it('takes as much as the endpoint takes, and no more', async () => {
    const padded = (bytes: number) =>
      `{"endpoint":"/v1/chat/completions","request":${JSON.stringify(text('gm-2.5-pro'))}${' '.repeat(bytes)}}`
    expect((await post('/v1/quote', padded(20 * MIB))).status).toBe(200)
    expect(errorOf(await post('/v1/quote', padded(20 * MIB + 2_000)))).toMatchObject({ status: 413, code: 'payload_too_large' })
  })

  it('needs JSON', async () => {
    expect(errorOf(await post('/v1/quote', '{}', { 'content-type': 'text/plain' }))).toMatchObject({ status: 415 })
    expect(errorOf(await post('/v1/quote', '{}', { 'content-type': 'multipart/form-data; boundary=x' }))).toMatchObject({
      status: 415,
    })
  })

  it('covers every paid endpoint', () => {
    expect(new Set(REQUESTS.map(([, endpoint]) => endpoint))).toEqual(new Set(PAID_ENDPOINTS))
  })
})
