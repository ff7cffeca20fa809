import { type EffectiveChatRequest, parseChatCompletion } from '@turnpike/contracts'
import { expect, it } from 'vitest'
import { readChatRequest } from './read-request.ts'

/** As the service itself makes an effective request of a body. */
function effective(body: object): EffectiveChatRequest {
  const parsed = parseChatCompletion({ model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }], ...body })
  if (!parsed.ok) throw new Error(parsed.problem.message)
  return parsed.value
}

it('takes system and developer texts out of any position, in their order', () => {
  const { system, turns } = readChatRequest(
    effective({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be kind.' },
            { type: 'text', text: '' },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Two' }] },
      ],
    }),
  )
  expect(system).toEqual(['Be brief.', 'Be kind.'])
  expect(turns).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'One' },
        { type: 'text', text: 'Two' },
      ],
    },
  ])
})

it('lets roles alternate and takes a refusal in history for the text it is', () => {
  const { turns } = readChatRequest(
    effective({
      messages: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'Two' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'user', content: 'Three' },
      ],
    }),
  )
  expect(turns.map(({ role, parts }) => [role, parts.map((part) => (part.type === 'text' ? part.text : part.type))])).toEqual([
    ['user', ['One', 'Two']],
    ['assistant', ['No.']],
    ['user', ['Three']],
  ])
})

it('carries the ceiling by whichever name it came, the sampling and the stops', () => {
  expect(readChatRequest(effective({ max_completion_tokens: 77 }))).toMatchObject({ maxOutputTokens: 77, sampling: {} })
  expect(readChatRequest(effective({}))).toMatchObject({ maxOutputTokens: 512, stopSequences: [], thinking: { kind: 'minimum' } })
  expect(
    readChatRequest(effective({ max_tokens: 9, temperature: 0, top_p: 0.5, seed: -3, stop: 'END', user: 'u-1' })),
  ).toMatchObject({ maxOutputTokens: 9, sampling: { temperature: 0, topP: 0.5, seed: -3 }, stopSequences: ['END'] })
})
