import { expect, it } from 'vitest'
import { callFirstAvailable, type TextRoute } from './call-first-available.ts'
import type { TargetDeps } from './call-targets.ts'
import { readChatRequest } from './dialects/openai-chat/read-request.ts'
import type { ProviderOutcome } from './provider-outcome.ts'
import type { TextCompletion } from './text/text-completion.ts'

const request = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1, stream: false })
const refused: ProviderOutcome<TextCompletion> = {
  kind: 'refused',
  code: 'provider_rejected_request',
  reason: 'request_rejected',
}
const overloaded: ProviderOutcome<TextCompletion> = {
  kind: 'failed',
  code: 'provider_overloaded',
  reason: 'overloaded',
  transient: true,
  executed: false,
}

it('sends one request to the upstream of each target under the name that the upstream knows, in their order', async () => {
  const asked: unknown[] = []
  const targetOf = (target: string, outcome: ProviderOutcome<TextCompletion>): TextRoute[number] => ({
    target,
    upstream: {
      async complete(name, sent, { deadlineMs }) {
        asked.push([name, sent, deadlineMs])
        return outcome
      },
      async close() {},
    },
  })
  const seen: unknown[] = []
  const deps: TargetDeps = {
    breakerOf: () => ({ enter: async () => ({ leave() {} }) }),
    onCall: (target, { kind }) => seen.push([target, kind]),
  }
  const route = [targetOf('one', overloaded), targetOf('two', refused), targetOf('three', overloaded)]
  const limits = { signal: new AbortController().signal, deadlineMs: 42 }
  expect(await callFirstAvailable(deps, { model: 'gm-2.5-flash', route }, request, limits)).toEqual(refused)
  expect(asked).toEqual([
    ['one', request, 42],
    ['two', request, 42],
  ])
  // What is reported names the public model and the place in its list, and nothing of the upstream.
  expect(seen).toEqual([
    [{ model: 'gm-2.5-flash', index: 0, of: 3 }, 'failed'],
    [{ model: 'gm-2.5-flash', index: 1, of: 3 }, 'refused'],
  ])
})
