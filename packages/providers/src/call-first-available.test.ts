import { expect, it } from 'vitest'
import { callFirstAvailable, type TextRoute } from './call-first-available.ts'
import { readChatRequest } from './dialects/openai-chat/read-request.ts'
import type { ProviderOutcome } from './provider-outcome.ts'
import type { TextCompletion } from './text/text-completion.ts'

type Outcome = ProviderOutcome<TextCompletion>
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, reasoningTokens: 0 }
const succeeded: Outcome = { kind: 'succeeded', value: { parts: [{ type: 'text', text: 'Hi' }], stop: 'finished', usage } }
const unavailable: Outcome = {
  kind: 'failed',
  code: 'provider_unavailable',
  reason: 'connect_failed',
  transient: false,
  executed: false,
}
const unusable: Outcome = { ...unavailable, code: 'provider_unusable_answer', reason: 'no_content', executed: true }
const refused: Outcome = { kind: 'refused', code: 'provider_rejected_request', reason: 'request_rejected' }
const ambiguous: Outcome = { kind: 'ambiguous', code: 'provider_outcome_unknown', reason: 'connection_lost' }

const request = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: false })

async function call(outcomes: Outcome[], signal = new AbortController().signal) {
  const asked: string[] = []
  const route: TextRoute = outcomes.map((outcome, index) => ({
    target: `target-${index}`,
    upstream: {
      async complete(target) {
        asked.push(target)
        return outcome
      },
      async close() {},
    },
  }))
  return { outcome: await callFirstAvailable(route, request, { signal, deadlineMs: Number.MAX_SAFE_INTEGER }), asked }
}

it('asks the next target after a definite failure', async () => {
  expect(await call([unavailable, succeeded, unavailable])).toEqual({ outcome: succeeded, asked: ['target-0', 'target-1'] })
})

it.each([
  ['a refusal', refused],
  ['an ambiguous outcome', ambiguous],
  ['an executed, unusable answer', unusable],
])('asks nobody else after %s', async (_title, outcome) => {
  expect(await call([outcome, succeeded])).toEqual({ outcome, asked: ['target-0'] })
})

it('ends with the last failure when nobody is available', async () => {
  expect(await call([unavailable, unavailable])).toEqual({ outcome: unavailable, asked: ['target-0', 'target-1'] })
})

it('starts nothing when the deadline has passed or the route is empty', async () => {
  expect(await call([succeeded], AbortSignal.abort())).toMatchObject({ outcome: { kind: 'failed' }, asked: [] })
  expect(await call([])).toMatchObject({ outcome: { kind: 'failed', code: 'provider_unavailable' }, asked: [] })
})
