import { type ElevenLabs, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultElevenLabsApiKey, type Sandbox, startSandbox } from '../start-sandbox.ts'
import { bytesOf, officialClient } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const voice = 'JBFqnCBsd6RMkjVDRZzb'
const modelId = 'eleven_flash_v2_5'
type Request = ElevenLabs.BodyTextToSpeechFull

function speak(request: Partial<Request>, voiceId = voice): Promise<Buffer> {
  return officialClient(sandbox)
    .textToSpeech.convert(voiceId, { text: 'hello there', modelId, outputFormat: 'mp3_44100_128', ...request })
    .then(bytesOf)
}

/** Frame by frame with nothing between: written from the standard for this one format, not the sandbox's own reader. */
function framesAt128k(mp3: Buffer): number {
  let frames = 0
  for (let offset = 0; offset < mp3.length; frames += 1) {
    const word = mp3.readUInt32BE(offset)
    // MPEG-1 Layer III without CRC, 128 kbps, 44.1 kHz, mono; only the padding and private bits may differ.
    expect(((word & 0xffff_fcc0) >>> 0).toString(16)).toBe('fffb90c0')
    offset += 417 + ((word >>> 9) & 1)
    expect(offset).toBeLessThanOrEqual(mp3.length)
  }
  return frames
}

const milliseconds = (mp3: Buffer) => (framesAt128k(mp3) * 1_152_000) / 44_100

describe('speech, read by the official client', () => {
  it('is MP3 at 44.1 kHz and 128 kbps, whole frames only, the same for the same text', async () => {
    const mp3 = await speak({})
    expect(framesAt128k(mp3)).toBeGreaterThan(10)
    expect((await speak({})).equals(mp3)).toBe(true)
    expect((await speak({ text: 'other words' })).equals(mp3)).toBe(false)
  })

  it('is as long as its text, and shorter when it is faster', async () => {
    const text = 'A sentence of exactly one hundred characters, which is what this one has been made to be, no more. '.repeat(4)
    const normal = milliseconds(await speak({ text }))
    expect(Math.abs(normal - [...text].length * 65)).toBeLessThan(30)
    const fast = milliseconds(await speak({ text, voiceSettings: { speed: 1.2 } }))
    expect(Math.abs(fast - normal / 1.2)).toBeLessThan(30)
    const slow = milliseconds(await speak({ text, voiceSettings: { speed: 0.7 } }))
    expect(Math.abs(slow - normal / 0.7)).toBeLessThan(60)
  })

  it('carries the vendor headers', async () => {
    const { data, rawResponse } = await officialClient(sandbox)
      .textToSpeech.convert(voice, { text: 'abcde', modelId })
      .withRawResponse()
    expect(rawResponse.headers.get('content-type')).toBe('audio/mpeg')
    expect(rawResponse.headers.get('request-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(rawResponse.headers.get('character-cost')).toBe('3')
    expect(rawResponse.headers.get('current-concurrent-requests')).toBe('1')
    expect(rawResponse.headers.get('maximum-concurrent-requests')).toBe('20')
    expect((await bytesOf(data)).length).toBeGreaterThan(0)
  })

  it('takes the longest text without being asked for the time that encoding it would take', async () => {
    const mp3 = await speak({ text: 'long '.repeat(8_000) })
    expect(milliseconds(mp3)).toBeGreaterThan(2_599_000)
  })
})

describe('speech is refused', () => {
  const detailOf = async (promise: Promise<unknown>) => {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof ElevenLabsError)) throw new Error(`not refused: ${String(error)}`)
    return { statusCode: error.statusCode, detail: (error.body as { detail: unknown }).detail }
  }

  it.each<[string, Partial<Request>, string, number, string]>([
    ['for an unknown voice', {}, 'nobody', 400, 'voice_not_found'],
    ['for an unknown model', { modelId: 'eleven_v99' }, voice, 400, 'model_not_found'],
    ['beyond the character limit', { text: 'x'.repeat(40_001) }, voice, 400, 'max_character_limit_exceeded'],
    ['for an empty text', { text: '' }, voice, 400, 'input_text_empty'],
    ['below the lowest speed', { voiceSettings: { speed: 0.69 } }, voice, 400, 'invalid_voice_settings'],
    ['above the highest speed', { voiceSettings: { speed: 1.21 } }, voice, 400, 'invalid_voice_settings'],
    ['for a language that the model lacks', { languageCode: 'xx' }, voice, 400, 'invalid_parameters'],
    ['for a format that the account lacks', { outputFormat: 'pcm_44100' }, voice, 403, 'output_format_not_allowed'],
    ['without logging', { enableLogging: false }, voice, 403, 'zero_retention_not_allowed'],
  ])('%s', async (_title, request, voiceId, status, code) => {
    const { statusCode, detail } = await detailOf(speak(request, voiceId))
    expect(statusCode).toBe(status)
    expect(detail).toMatchObject({
      code,
      status: code,
      type: expect.any(String),
      message: expect.any(String),
      request_id: expect.any(String),
    })
  })

  it('with a bad key, as 401', async () => {
    const { statusCode, detail } = await detailOf(
      officialClient(sandbox, 'wrong').textToSpeech.convert(voice, { text: 'x', modelId }),
    )
    expect(statusCode).toBe(401)
    expect(detail).toMatchObject({ code: 'invalid_api_key' })
  })

  it.each<[string, string, unknown, (string | number)[]]>([
    ['no text', '', { model_id: modelId }, ['body', 'text']],
    ['a text that is a number', '', { text: 5 }, ['body', 'text']],
    ['a speed that is a string', '', { text: 'x', voice_settings: { speed: 'fast' } }, ['body', 'voice_settings', 'speed']],
    ['a seed out of range', '', { text: 'x', seed: -1 }, ['body', 'seed']],
    ['an output format that does not exist', '?output_format=mp3_1_1', { text: 'x' }, ['query', 'output_format']],
    ['a body that is no JSON', '', 'text', ['body', 0]],
  ])('in the 422 shape: %s', async (_title, query, body, loc) => {
    const response = await fetch(`${sandbox.elevenlabsUrl}/v1/text-to-speech/${voice}${query}`, {
      method: 'POST',
      headers: { 'xi-api-key': defaultElevenLabsApiKey, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: [{ loc, msg: expect.any(String), type: expect.any(String) }] })
  })

  it('for a voice that a configured list does not have', async () => {
    const listed = await startSandbox({ elevenlabsVoices: ['AAAAAAAAAAAAAAAAAAAA'] })
    const ask = (id: string) => officialClient(listed).textToSpeech.convert(id, { text: 'x', modelId }).then(bytesOf)
    try {
      expect((await ask('AAAAAAAAAAAAAAAAAAAA')).length).toBeGreaterThan(0)
      expect(await detailOf(ask(voice))).toMatchObject({ detail: { code: 'voice_not_found' } })
    } finally {
      await listed.close()
    }
  })
})
