import { type ElevenLabs, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { bytesOf, officialClient } from './official-client.ts'
import { speechClip } from './speech-clip.ts'

let sandbox: Sandbox
let mp3: Buffer
const frameMs = 1_152_000 / 44_100

beforeAll(async () => {
  sandbox = await startSandbox()
  const speech = await officialClient(sandbox).textToSpeech.convert('JBFqnCBsd6RMkjVDRZzb', {
    text: 'some words that were said before',
    modelId: 'eleven_flash_v2_5',
  })
  mp3 = await bytesOf(speech)
})
afterAll(() => sandbox.close())

type Request = Partial<ElevenLabs.BodySpeechToTextV1SpeechToTextPost>

async function transcribe(file: Buffer, request: Request = {}): Promise<ElevenLabs.SpeechToTextChunkResponseModel> {
  const answer = await officialClient(sandbox).speechToText.convert({
    modelId: 'scribe_v2',
    file: { data: file, filename: 'audio.mp3', contentType: 'audio/mpeg' },
    ...request,
  })
  if (!('words' in answer)) throw new Error('not a transcript')
  return answer
}

const heard = (answer: { text: string }) => Number(/^I heard (\d+) milliseconds of audio\./.exec(answer.text)?.[1])
const frames = (count: number) => mp3.subarray(0, endOf(count))

function endOf(count: number): number {
  let offset = 0
  for (let frame = 0; frame < count; frame += 1) offset += 417 + ((mp3.readUInt32BE(offset) >>> 9) & 1)
  return offset
}

describe('a transcription, read by the official client', () => {
  it('says how many milliseconds it heard', async () => {
    expect(heard(await transcribe(frames(40)))).toBe(Math.round(40 * frameMs))
    const whole = await transcribe(mp3)
    expect(whole.audioDurationSecs).toBe(heard(whole) / 1_000)
    expect(whole.languageCode).toBe('eng')
    expect(whole.languageProbability).toBeGreaterThan(0.9)
    expect(whole.transcriptionId).toEqual(expect.any(String))
  })

  it('passes over tags, an info frame and half a frame at the end', async () => {
    const id3 = Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x02\x00', 'latin1'), Buffer.alloc(256, 0xff)])
    const info = Buffer.from(frames(1))
    info.fill(0, 4)
    info.write('Info', 21, 'latin1')
    const trailing = Buffer.concat([Buffer.from('TAG', 'latin1'), Buffer.alloc(125, 0xff)])
    expect(heard(await transcribe(Buffer.concat([id3, info, frames(20), trailing])))).toBe(Math.round(20 * frameMs))
    expect(heard(await transcribe(mp3.subarray(0, endOf(20) + 200)))).toBe(Math.round(20 * frameMs))
  })

  it('gives words with times inside the audio, in order, that make up the text', async () => {
    const { words, text, audioDurationSecs } = await transcribe(mp3)
    expect(words.map((word) => word.text).join('')).toBe(text)
    const times = words.flatMap(({ start, end }) => [start ?? -1, end ?? -1])
    expect([...times].sort((one, other) => one - other)).toEqual(times)
    expect(times.at(-1)).toBe(audioDurationSecs)
    expect(words.every((word) => word.characters === undefined && word.speakerId === undefined)).toBe(true)
  })

  it('gives times by character, or none', async () => {
    const byCharacter = await transcribe(mp3, { timestampsGranularity: 'character' })
    const word = byCharacter.words.find(({ text }) => text === 'heard')
    expect(word?.characters?.map(({ text }) => text).join('')).toBe('heard')
    expect(word?.characters?.[0]?.start).toBe(word?.start)
    expect(word?.characters?.at(-1)?.end).toBe(word?.end)
    const without = await transcribe(mp3, { timestampsGranularity: 'none' })
    expect(without.words.some(({ start, end }) => start !== undefined || end !== undefined)).toBe(false)
  })

  it('tags events unless told not to, and tells as many speakers apart as asked for', async () => {
    expect((await transcribe(mp3)).words.filter(({ type }) => type === 'audio_event').map(({ text }) => text)).toEqual(['(tone)'])
    expect((await transcribe(mp3, { tagAudioEvents: false })).text).not.toContain('(tone)')
    const speakers = async (request: Request) => new Set((await transcribe(mp3, request)).words.map(({ speakerId }) => speakerId))
    expect(await speakers({ diarize: true })).toEqual(new Set(['speaker_0', 'speaker_1']))
    expect((await speakers({ diarize: true, numSpeakers: 3 })).size).toBe(3)
  })

  it('takes raw samples and a language', async () => {
    const answer = await transcribe(Buffer.alloc(32_000), { fileFormat: 'pcm_s16le_16', languageCode: 'de' })
    expect(heard(answer)).toBe(1_000)
    expect(answer.languageCode).toBe('de')
  })
})

describe('a transcription is refused', () => {
  const refusal = async (file: Buffer, request: Request) => {
    const error = await transcribe(file, request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof ElevenLabsError)) throw new Error(`not refused: ${String(error)}`)
    return { statusCode: error.statusCode, detail: (error.body as { detail: unknown }).detail }
  }

  it('below 100 ms: three frames are too short, four are enough', async () => {
    expect(await refusal(frames(3), {})).toMatchObject({ statusCode: 400, detail: { code: 'audio_too_short' } })
    expect(heard(await transcribe(frames(4)))).toBe(104)
  })

  it.each([
    ['zeros', Buffer.alloc(20_000)],
    ['all ones', Buffer.alloc(20_000, 0xff)],
    ['an empty file', Buffer.alloc(0)],
    ['a WAV file', Buffer.concat([Buffer.from('RIFF\x00\x10\x00\x00WAVEfmt '), Buffer.alloc(9_000, 3)])],
  ])('for audio that is none: %s', async (_title, file) => {
    expect(await refusal(file, {})).toMatchObject({ statusCode: 400, detail: { code: 'invalid_audio' } })
  })

  it.each<[string, Request, number, object]>([
    ['an unknown model', { modelId: 'scribe_v9' }, 400, { code: 'invalid_model_id' }],
    [
      'key terms of the wrong model',
      { modelId: 'scribe_v1', keyterms: ['x'] },
      400,
      { code: 'invalid_parameters', param: 'keyterms' },
    ],
    ['a key term that is too long', { keyterms: ['x'.repeat(50)] }, 400, { code: 'invalid_parameters' }],
    ['a threshold without speakers', { diarizationThreshold: 0.2 }, 400, { code: 'invalid_parameters' }],
    ['several channels', { useMultiChannel: true }, 400, { param: 'use_multi_channel' }],
    ['a webhook', { webhook: true }, 400, { param: 'webhook' }],
    ['no logging', { enableLogging: false }, 403, { code: 'zero_retention_not_allowed' }],
    ['no speakers', { numSpeakers: 0 }, 422, [{ loc: ['body', 'num_speakers'], type: 'greater_than_equal' }]],
    ['33 speakers', { numSpeakers: 33 }, 422, [{ loc: ['body', 'num_speakers'], type: 'less_than_equal' }]],
    ['a temperature above 2', { temperature: 2.5 }, 422, [{ loc: ['body', 'temperature'] }]],
  ])('for %s', async (_title, request, statusCode, detail) => {
    expect(await refusal(mp3, request)).toMatchObject({ statusCode, detail })
  })
})

it('of a file with a title is found by it among the calls', async () => {
  await transcribe(speechClip('some words', { title: 'a title of its own' }))
  await transcribe(mp3)
  const { calls } = (await (await fetch(`${sandbox.adminUrl}/calls?since=0`)).json()) as {
    calls: { path: string; text: string }[]
  }
  const heard = calls.filter(({ path }) => path === '/v1/speech-to-text').map(({ text }) => text)
  expect(heard.slice(-2)).toEqual(['a title of its own', ''])
})
