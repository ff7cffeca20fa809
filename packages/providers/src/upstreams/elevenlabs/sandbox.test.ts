import { createHash } from 'node:crypto'
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { SpeechUpstream, SynthesizedSpeech } from '../../speech/speech-request.ts'
import { openElevenLabsSpeech } from './open-elevenlabs-speech.ts'

// The sandbox is read by this adapter and by the vendor's own client: a mistake that both the sandbox and the adapter make shows as
// a difference between the two.

const API_KEY = 'key-of-this-test'
const VOICE_ID = 'JBFqnCBsd6RMkjVDRZzb'
const TARGET = 'eleven_flash_v2_5'
const WAIT_MS = 60_000
let sandbox: Sandbox
let upstream: SpeechUpstream

const open = (apiKey = API_KEY) =>
  openElevenLabsSpeech({
    baseUrl: sandbox.elevenlabsUrl,
    apiKey,
    maxConnections: 4,
    voices: new Map([
      ['darian', VOICE_ID],
      ['talia', 'not-a-voice'],
    ]),
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 60_000, minCallMs: 0 },
  })
beforeAll(async () => {
  sandbox = await startSandbox({ elevenlabsApiKey: API_KEY })
  upstream = open()
  // The first call of either client takes seconds on a busy machine: modules are loaded, and the sandbox encodes its sounds.
  await officially('hello', 1)
  await speak('hello')
})
afterAll(async () => {
  await upstream?.close()
  await sandbox?.close()
})
beforeEach(async () => {
  await admin('DELETE', '/faults')
  await admin('DELETE', '/calls')
})

type Calls = { calls?: { path: string; model: string; text: string; bodySha256: string }[] }
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

function speak(
  text: string,
  more: { voice?: string; speed?: number; target?: string; from?: SpeechUpstream; signal?: AbortSignal } = {},
): Promise<ProviderOutcome<SynthesizedSpeech>> {
  const { voice = 'darian', speed = 1, target = TARGET, from = upstream, signal = AbortSignal.timeout(WAIT_MS) } = more
  const limits = { signal, deadlineMs: Date.now() + WAIT_MS }
  return from.speak(target, { text, voice, speed }, limits)
}
async function officially(text: string, speed: number): Promise<Buffer> {
  const client = new ElevenLabsClient({ apiKey: API_KEY, baseUrl: sandbox.elevenlabsUrl, maxRetries: 0 })
  const stream = await client.textToSpeech.convert(VOICE_ID, {
    text,
    modelId: TARGET,
    outputFormat: 'mp3_44100_128',
    voiceSettings: { speed },
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('speech', () => {
  it.each([1, 0.7, 1.2])('at speed %d is what the official client gets for the same words', async (speed) => {
    const text = 'The quick brown fox jumps over the lazy dog. Größe 😀'
    const outcome = await speak(text, { speed })
    if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome))
    expect(sha256(outcome.value.mp3)).toBe(sha256(await officially(text, speed)))
    // Half a credit for each code point, by the vendor's header.
    expect(outcome.value.characterCost).toBe(Math.ceil([...text].length / 2))
    const [mine, theirs] = await calls()
    expect(mine).toMatchObject({ path: `/v1/text-to-speech/${VOICE_ID}`, model: TARGET, text })
    expect(theirs?.bodySha256).toBe(mine?.bodySha256)
  })

  it('with a voice that is not configured is not asked for', async () => {
    expect(await speak('hello', { voice: 'bella' })).toMatchObject({ kind: 'failed', reason: 'voice_missing', executed: false })
    expect(await calls()).toEqual([])
  })

  it.each<[string, Parameters<typeof speak>[1], object]>([
    ['with a voice id that does not exist', { voice: 'talia' }, { kind: 'failed', reason: 'voice_missing' }],
    ['with a model that does not exist', { target: 'eleven_v99' }, { kind: 'failed', reason: 'target_missing' }],
    ['at a speed that the vendor does not take', { speed: 3 }, { kind: 'refused', code: 'provider_rejected_request' }],
  ])('%s fails for sure', async (_title, more, expected) => {
    expect(await speak('hello', more)).toMatchObject(expected)
  })

  it('with a bad key is our fault', async () => {
    const other = open('wrong')
    try {
      expect(await speak('hello', { from: other })).toMatchObject({ kind: 'failed', reason: 'credentials_refused' })
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
    ['no-content', { kind: 'failed', code: 'provider_unusable_answer', executed: true }, 1],
  ])('%s', async (kind, expected, count) => {
    await fault(kind)
    expect(await speak('hello')).toMatchObject(expected)
    expect(await calls()).toHaveLength(count)
  })

  it('hang is ambiguous at its deadline', async () => {
    await fault('hang')
    const deadline = new AbortController()
    const hanging = speak('hello', { signal: deadline.signal })
    await expect.poll(calls).toHaveLength(1)
    deadline.abort()
    expect(await hanging).toMatchObject({ kind: 'ambiguous', reason: 'deadline' })
  })

  it('that passes is succeeded by a second attempt', async () => {
    await fault('status-503', { times: 1 })
    expect(await speak('hello')).toMatchObject({ kind: 'succeeded' })
  })
})
