import { GoogleGenAI, Modality } from '@google/genai'
import { type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ImageUpstream } from '../../image/image-request.ts'
import { openGeminiImages } from './open-gemini-images.ts'

// As with text: the sandbox is read by this adapter and by the vendor's own client.

const API_KEY = 'key-of-this-test'
const TARGET = 'gemini-3.1-flash-lite-image'
let sandbox: Sandbox
let upstream: ImageUpstream

beforeAll(async () => {
  sandbox = await startSandbox({ geminiApiKey: API_KEY })
  upstream = openGeminiImages({
    baseUrl: sandbox.geminiUrl,
    apiKey: API_KEY,
    maxConnections: 4,
    retry: { retries: 1, baseDelayMs: 1, maxDelayMs: 10, minCallMs: 0 },
  })
  // Painting takes seconds of a busy machine: both pictures of these tests are painted once, before their clocks run.
  await officially('a lighthouse at dusk')
  await draw('a boat')
})
afterAll(async () => {
  await upstream?.close()
  await sandbox?.close()
})
beforeEach(() => fault())

async function fault(...kinds: Fault['kind'][]): Promise<void> {
  const body = JSON.stringify(kinds.map((kind) => ({ upstream: 'gemini', kind })))
  expect((await fetch(`${sandbox.adminUrl}/faults`, { method: 'PUT', body })).status).toBe(200)
}
const draw = (prompt: string, target = TARGET) =>
  upstream.draw(
    target,
    { prompt, imageSize: '1K', aspectRatio: '1:1' },
    { signal: AbortSignal.timeout(20_000), deadlineMs: Date.now() + 20_000 },
  )

function officially(contents: string) {
  const client = new GoogleGenAI({ apiKey: API_KEY, httpOptions: { baseUrl: sandbox.geminiUrl } })
  const imageConfig = { aspectRatio: '1:1', imageSize: '1K' }
  const config = { responseModalities: [Modality.TEXT, Modality.IMAGE], imageConfig }
  return client.models.generateContent({ model: TARGET, contents, config })
}

it('is what the official client gets for the same prompt', async () => {
  const outcome = await draw('a lighthouse at dusk')
  if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome))
  const answer = await officially('a lighthouse at dusk')
  const parts = answer.candidates?.[0]?.content?.parts ?? []
  expect(
    outcome.value.bytes.equals(Buffer.from(parts.find(({ inlineData }) => inlineData)?.inlineData?.data ?? '', 'base64')),
  ).toBe(true)
  const { promptTokenCount, candidatesTokenCount } = answer.usageMetadata ?? {}
  expect(outcome.value.usage).toMatchObject({ inputTokens: promptTokenCount })
  expect(outcome.value.usage.outputTokens - outcome.value.usage.reasoningTokens).toBe(candidatesTokenCount)
})

describe('a call with the fault', () => {
  it.each<[Fault['kind'], object]>([
    ['blocked', { kind: 'refused', code: 'content_blocked' }],
    ['no-content', { kind: 'refused', code: 'content_blocked' }],
    ['status-429', { kind: 'failed', code: 'provider_overloaded' }],
    ['status-503', { kind: 'failed', code: 'provider_overloaded' }],
    ['status-500', { kind: 'failed', code: 'provider_unavailable' }],
    ['truncated-body', { kind: 'ambiguous', reason: 'truncated_body' }],
    ['invalid-json', { kind: 'ambiguous', reason: 'invalid_body' }],
    ['reset-before-response', { kind: 'ambiguous', reason: 'connection_lost' }],
  ])('%s', async (kind, expected) => {
    await fault(kind)
    expect(await draw('a boat')).toMatchObject(expected)
  })

  it('of a target that draws nothing is definite', async () => {
    expect(await draw('a boat', 'gemini-2.5-flash')).toMatchObject({ kind: 'refused' })
    expect(await draw('a boat', 'gemini-9-image')).toMatchObject({ kind: 'failed', reason: 'target_missing' })
  })
})
