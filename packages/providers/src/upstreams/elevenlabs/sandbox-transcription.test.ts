import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { type Fault, type Sandbox, speechClip, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { Transcript, TranscriptionRequest, TranscriptionUpstream } from '../../transcription/transcription-request.ts'
import { openElevenLabsTranscription } from './open-elevenlabs-transcription.ts'

// The sandbox is read by this adapter and by the vendor's own client: a mistake that both the sandbox and the adapter make shows as
// a difference between the two.

const API_KEY = 'key-of-this-test'
const TARGET = 'scribe_v2'
const WAIT_MS = 60_000
const mp3 = new Uint8Array(speechClip('some words that were said before'))
let sandbox: Sandbox
let upstream: TranscriptionUpstream

const open = (apiKey = API_KEY) =>
  openElevenLabsTranscription({
    baseUrl: sandbox.elevenlabsUrl,
    apiKey,
    maxConnections: 4,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 60_000, minCallMs: 0 },
  })
beforeAll(async () => {
  sandbox = await startSandbox({ elevenlabsApiKey: API_KEY })
  upstream = open()
})
afterAll(async () => {
  await upstream?.close()
  await sandbox?.close()
})
beforeEach(async () => {
  await admin('DELETE', '/faults')
  await admin('DELETE', '/calls')
})

type Calls = { calls?: { path: string; model: string }[] }
async function admin(method: string, path: string, body?: unknown): Promise<Calls> {
  const response = await fetch(`${sandbox.adminUrl}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Calls
}
const calls = async () => (await admin('GET', '/calls')).calls ?? []
const fault = (kind: Fault['kind'], more: Partial<Fault> = {}) =>
  admin('PUT', '/faults', [{ upstream: 'elevenlabs', kind, ...more }])

type Asked = Partial<TranscriptionRequest> & { target?: string; from?: TranscriptionUpstream; signal?: AbortSignal }
function transcribe({
  target = TARGET,
  from = upstream,
  signal = AbortSignal.timeout(WAIT_MS),
  ...asked
}: Asked = {}): Promise<ProviderOutcome<Transcript>> {
  const limits = { signal, deadlineMs: Date.now() + WAIT_MS }
  return from.transcribe(target, { mp3, diarize: false, timestamps: 'none', tagAudioEvents: false, ...asked }, limits)
}
async function heard(asked: Asked): Promise<Transcript> {
  const outcome = await transcribe(asked)
  if (outcome.kind !== 'succeeded') throw new Error(outcome.reason)
  return outcome.value
}

async function officially(asked: Omit<TranscriptionRequest, 'mp3'>): Promise<Transcript> {
  const client = new ElevenLabsClient({ apiKey: API_KEY, baseUrl: sandbox.elevenlabsUrl, maxRetries: 0 })
  const answer = await client.speechToText.convert({
    modelId: TARGET,
    file: { data: Buffer.from(mp3), filename: 'audio.mp3', contentType: 'audio/mpeg' },
    diarize: asked.diarize,
    timestampsGranularity: asked.timestamps,
    tagAudioEvents: asked.tagAudioEvents,
    ...(asked.numSpeakers === undefined ? {} : { numSpeakers: asked.numSpeakers }),
    ...(asked.language === undefined ? {} : { languageCode: asked.language }),
  })
  if (!('words' in answer)) throw new Error('not a transcript')
  return {
    text: answer.text,
    languageCode: answer.languageCode,
    languageProbability: answer.languageProbability,
    ...(answer.audioDurationSecs === undefined ? {} : { audioSeconds: answer.audioDurationSecs }),
    words: answer.words.map(({ text, type, start, end, speakerId, characters }) => ({
      text,
      type,
      ...(start === undefined ? {} : { startS: start }),
      ...(end === undefined ? {} : { endS: end }),
      ...(speakerId === undefined ? {} : { speaker: speakerId }),
      ...(characters === undefined
        ? {}
        : { characters: characters.map((each) => ({ text: each.text, startS: each.start, endS: each.end })) }),
    })),
  } as Transcript
}

describe('a transcription is what the official client gets', () => {
  it.each<[string, Omit<TranscriptionRequest, 'mp3'>]>([
    ['plain', { diarize: false, timestamps: 'none', tagAudioEvents: false }],
    ['with times of words', { diarize: false, timestamps: 'word', tagAudioEvents: false }],
    ['with times of characters and events', { diarize: false, timestamps: 'character', tagAudioEvents: true }],
    ['with three speakers', { diarize: true, numSpeakers: 3, timestamps: 'none', tagAudioEvents: false }],
    ['in a language', { diarize: false, timestamps: 'none', tagAudioEvents: false, language: 'de' }],
  ])('%s', async (_what, asked) => {
    const ours = await heard(asked)
    expect(ours).toEqual(await officially(asked))
    expect(ours.text).toMatch(/^I heard \d{4} milliseconds of audio\./)
    expect(await calls()).toMatchObject([
      { path: '/v1/speech-to-text', model: TARGET },
      { path: '/v1/speech-to-text', model: TARGET },
    ])
  })

  it('with nothing that was not asked for', async () => {
    const { words, text } = await heard({})
    expect(text).not.toContain('(tone)')
    expect(words.every((word) => Object.keys(word).sort().join() === 'text,type')).toBe(true)
  })
})

describe('a transcription is not had', () => {
  it.each<[string, Asked, object]>([
    ['of what is no MP3', { mp3: new Uint8Array(20_000) }, { kind: 'refused', code: 'provider_rejected_request' }],
    ['by an unknown model', { target: 'scribe_v9' }, { kind: 'failed', reason: 'target_missing' }],
    ['in no language', { language: '!' }, { kind: 'refused', code: 'provider_rejected_request' }],
  ])('%s', async (_what, asked, expected) => {
    expect(await transcribe(asked)).toMatchObject(expected)
  })

  it('with a bad key, which is our fault', async () => {
    const other = open('wrong')
    try {
      expect(await transcribe({ from: other })).toMatchObject({ kind: 'failed', reason: 'credentials_refused' })
    } finally {
      await other.close()
    }
  })
})

describe('a call with the fault', () => {
  it.each<[Fault['kind'], object, number]>([
    ['status-429', { kind: 'failed', code: 'provider_overloaded', reason: 'rate_limited' }, 2],
    ['status-503', { kind: 'failed', code: 'provider_overloaded', reason: 'overloaded' }, 2],
    ['status-500', { kind: 'ambiguous', reason: 'unexpected_status' }, 1],
    ['reset-before-response', { kind: 'ambiguous', reason: 'connection_lost' }, 1],
    ['truncated-body', { kind: 'ambiguous', reason: 'truncated_body' }, 1],
    ['invalid-json', { kind: 'ambiguous', reason: 'invalid_body' }, 1],
    ['blocked', { kind: 'refused', code: 'content_blocked' }, 1],
    ['no-content', { kind: 'succeeded', value: { text: '', words: [] } }, 1],
  ])('%s', async (kind, expected, count) => {
    await fault(kind)
    expect(await transcribe()).toMatchObject(expected)
    expect(await calls()).toHaveLength(count)
  })

  it('hang is ambiguous at its deadline', async () => {
    await fault('hang')
    const deadline = new AbortController()
    const hanging = transcribe({ signal: deadline.signal })
    await expect.poll(calls).toHaveLength(1)
    deadline.abort()
    expect(await hanging).toMatchObject({ kind: 'ambiguous', reason: 'deadline' })
  })

  it('that passes is succeeded by a second attempt, with the same audio', async () => {
    await fault('status-503', { times: 1 })
    expect(await heard({})).toEqual(await heard({}))
  })
})
