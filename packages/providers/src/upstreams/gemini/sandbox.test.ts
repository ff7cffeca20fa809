import { type Fault, type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TextUpstream } from '../../call-first-available.ts'
import { readChatRequest } from '../../dialects/openai-chat/read-request.ts'
import type { ProviderOutcome } from '../../provider-outcome.ts'
import { type TextCompletion, textOf } from '../../text/text-completion.ts'
import type { TextRequest } from '../../text/text-request.ts'
import { openGemini } from './open-gemini.ts'

// The sandbox was written from the vendor's documents by itself and is read by the vendor's client in its own tests: what it refuses
// here is a mistake of this adapter.

const API_KEY = 'key-of-this-test'
const TARGET = 'gemini-2.5-flash'
let sandbox: Sandbox
let upstream: TextUpstream

const open = (apiKey: string): TextUpstream =>
  openGemini({
    baseUrl: sandbox.geminiUrl,
    apiKey,
    maxConnections: 8,
    retry: { retries: 2, baseDelayMs: 1, maxDelayMs: 60_000, minCallMs: 0 },
  })
beforeAll(async () => {
  sandbox = await startSandbox({ geminiApiKey: API_KEY })
  upstream = open(API_KEY)
})
afterAll(async () => {
  await upstream.close()
  await sandbox.close()
})
beforeEach(async () => {
  await admin('DELETE', '/faults')
  await admin('DELETE', '/calls')
})

async function admin(method: string, path: string, body?: unknown): Promise<{ calls?: { model: string; outcome: string }[] }> {
  const response = await fetch(`${sandbox.adminUrl}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { calls?: { model: string; outcome: string }[] }
}
const calls = async () => (await admin('GET', '/calls')).calls ?? []
const chat = (text: string, more: object = {}): TextRequest =>
  readChatRequest({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: text }], max_tokens: 256, stream: false, ...more })
const WAIT_MS = 20_000
const complete = (
  request: TextRequest,
  target = TARGET,
  signal = AbortSignal.timeout(WAIT_MS),
): Promise<ProviderOutcome<TextCompletion>> => upstream.complete(target, request, { signal, deadlineMs: Date.now() + WAIT_MS })
const answerOf = (outcome: ProviderOutcome<TextCompletion>): TextCompletion => {
  if (outcome.kind !== 'succeeded') throw new Error(`${outcome.code} ${outcome.reason}`)
  return outcome.value
}

describe('every model family', () => {
  it.each([
    'gemini-2.5-flash-lite',
    'gemini-2.5-flash',
    'gemini-2.5-pro',
    'gemini-3.1-flash-lite',
    'gemini-3.5-flash-lite',
    'gemini-3.5-flash',
    'gemini-3.6-flash',
  ])('%s takes a request with everything in it', async (target) => {
    const request = readChatRequest({
      model: 'gm-2.5-flash',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'When is high tide?' },
        { role: 'assistant', content: 'At six.' },
        { role: 'user', content: [{ type: 'text', text: 'And where?' }] },
      ],
      max_tokens: 512,
      stream: false,
      temperature: 0.3,
      top_p: 0.9,
      seed: 7,
      stop: ['@@'],
    })
    const completion = answerOf(await complete(request, target))
    expect(completion.stop).toBe('finished')
    expect(textOf(completion)).toContain('And where?')
    expect(completion.usage.inputTokens).toBeGreaterThan(0)
    expect(completion.usage.outputTokens).toBeGreaterThan(0)
    expect(await calls()).toMatchObject([{ model: target, outcome: 'ok' }])
  })
})

it('stops at the ceiling that the client paid for', async () => {
  const completion = answerOf(await complete({ ...chat('word '.repeat(200)), maxOutputTokens: 5 }))
  expect(completion.stop).toBe('length')
  expect(completion.usage.outputTokens).toBeLessThanOrEqual(5)
})

it('gets JSON that fits a schema which the wire would have refused as it came', async () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { kind: { const: 'tide' }, at: { type: ['string', 'null'] } },
    required: ['kind', 'at'],
  }
  const completion = answerOf(await complete({ ...chat('Answer in JSON'), output: { format: 'json_schema', schema } }))
  expect(JSON.parse(textOf(completion) ?? '')).toMatchObject({ kind: 'tide' })
})

describe('a fault', () => {
  const provoke = async (fault: Omit<Fault, 'upstream'>) => await admin('PUT', '/faults', [{ upstream: 'gemini', ...fault }])
  const summary = async (outcome: ProviderOutcome<TextCompletion>) => ({
    outcome:
      outcome.kind === 'succeeded' ? `succeeded ${outcome.value.stop}` : `${outcome.kind} ${outcome.code} ${outcome.reason}`,
    calls: (await calls()).length,
  })

  it.each<[Omit<Fault, 'upstream'>, string, number]>([
    [{ kind: 'latency', ms: 30 }, 'succeeded finished', 1],
    [{ kind: 'status-500' }, 'failed provider_unavailable upstream_fault', 1],
    [{ kind: 'status-503' }, 'failed provider_overloaded overloaded', 3],
    [{ kind: 'status-503', times: 2 }, 'succeeded finished', 3],
    [{ kind: 'reset-before-response' }, 'ambiguous provider_outcome_unknown connection_lost', 1],
    [{ kind: 'truncated-body' }, 'ambiguous provider_outcome_unknown truncated_body', 1],
    [{ kind: 'invalid-json' }, 'ambiguous provider_outcome_unknown invalid_body', 1],
    [{ kind: 'blocked' }, 'succeeded filtered', 1],
    [{ kind: 'no-content' }, 'failed provider_unusable_answer no_content', 1],
  ])('%j ends as %s after %d calls', async (fault, expected, count) => {
    await provoke(fault)
    expect(await summary(await complete(chat('Hello')))).toEqual({ outcome: expected, calls: count })
  })

  it('of too many requests is passed on with its wait when that reaches past the deadline', async () => {
    await provoke({ kind: 'status-429' })
    // The sandbox tells to wait for 26 s.
    const outcome = await complete(chat('Hello'))
    expect(await summary(outcome)).toEqual({ outcome: 'failed provider_overloaded rate_limited', calls: 1 })
    expect(outcome).toMatchObject({ retryAfterMs: expect.any(Number) })
  })

  it('that hangs is ambiguous at the deadline', async () => {
    await provoke({ kind: 'hang' })
    const deadline = new AbortController()
    const hanging = complete(chat('Hello'), TARGET, deadline.signal)
    await expect.poll(calls).toHaveLength(1)
    deadline.abort()
    expect(await summary(await hanging)).toEqual({
      outcome: 'ambiguous provider_outcome_unknown deadline',
      calls: 1,
    })
  })
})

describe('a configuration mistake is never the fault of the client', () => {
  it('of the key', async () => {
    const stranger = open('another key')
    const limits = { signal: AbortSignal.timeout(20_000), deadlineMs: Date.now() + 20_000 }
    expect(await stranger.complete(TARGET, chat('Hello'), limits)).toMatchObject({
      kind: 'failed',
      code: 'provider_unavailable',
      reason: 'credentials_refused',
    })
    await stranger.close()
  })

  it('of the target', async () => {
    expect(await complete(chat('Hello'), 'gemini-0.1')).toMatchObject({ kind: 'failed', reason: 'target_missing' })
  })
})

it('a request that the API refuses is refused', async () => {
  const outcome = await complete({ ...chat('Hello'), sampling: { temperature: 9 } })
  expect(outcome).toEqual({ kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' })
})
