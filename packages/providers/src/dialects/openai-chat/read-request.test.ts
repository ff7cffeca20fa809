import { type EffectiveChatRequest, parseChatCompletion } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import type { TextRequest } from '../../text/text-request.ts'
import { chatImageUrls, readChatRequest } from './read-request.ts'

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

describe('a conversation with tools', () => {
  const call = (id: string, name: string, more: object = {}) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: '{"port":"Brest"}' },
    ...more,
  })
  const signed = { extra_content: { google: { thought_signature: 'c2ln' } } }

  it('keeps the text before the calls, and the signatures', () => {
    const { turns } = readChatRequest(
      effective({
        messages: [
          { role: 'user', content: 'Both' },
          { role: 'assistant', content: 'Looking.', tool_calls: [call('a', 'tide', signed), call('b', 'moon')] },
          { role: 'tool', tool_call_id: 'a', content: '06:12' },
          { role: 'tool', tool_call_id: 'b', content: 'full' },
        ],
      }),
    )
    expect(turns[1]?.parts).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_call', id: 'a', name: 'tide', arguments: { port: 'Brest' }, signature: 'c2ln' },
      { type: 'tool_call', id: 'b', name: 'moon', arguments: { port: 'Brest' } },
    ])
  })

  it('has all results of a step in one turn, in the order of its calls and under their names', () => {
    const { turns } = readChatRequest(
      effective({
        messages: [
          { role: 'user', content: 'Go' },
          { role: 'assistant', content: null, tool_calls: [call('a', 'tide'), call('b', 'moon')] },
          {
            role: 'tool',
            tool_call_id: 'b',
            content: [
              { type: 'text', text: 'full' },
              { type: 'text', text: 'and red' },
            ],
          },
          { role: 'tool', tool_call_id: 'a', content: '06:12' },
          { role: 'user', content: 'And now?' },
          { role: 'assistant', content: null, tool_calls: [call('a', 'moon')] },
          { role: 'tool', tool_call_id: 'a', content: '' },
        ],
      }),
    )
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(turns[2]?.parts).toEqual([
      { type: 'tool_result', callId: 'a', name: 'tide', text: '06:12', isError: false, images: [] },
      { type: 'tool_result', callId: 'b', name: 'moon', text: 'full\nand red', isError: false, images: [] },
      { type: 'text', text: 'And now?' },
    ])
    expect(turns[4]?.parts).toMatchObject([{ callId: 'a', name: 'moon', text: '' }])
  })
})

it('takes images as bytes and by URL, each URL once', () => {
  const url = 'https://images.example/a.png'
  const request: EffectiveChatRequest = {
    ...effective({}),
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklG' } },
          { type: 'text', text: 'and' },
          { type: 'image_url', image_url: { url, detail: 'low' } },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  }
  expect(chatImageUrls(request)).toEqual([url])
  const fetched = { type: 'image' as const, mimeType: 'image/png', base64: 'iVBO' }
  expect(readChatRequest(request, new Map([[url, fetched]])).turns[0]?.parts).toEqual([
    { type: 'image', mimeType: 'image/webp', base64: 'UklG' },
    { type: 'text', text: 'and' },
    fetched,
    fetched,
  ])
})

describe('settings', () => {
  const tools = [{ type: 'function', function: { name: 'tide', description: 'Of a port', strict: true } }]
  const schema = { type: 'object', properties: {} }
  it.each<[object, Partial<TextRequest>]>([
    [{}, { tools: [], toolChoice: { mode: 'auto' }, output: { format: 'text' }, onlyFirstCall: false }],
    [{ tools }, { tools: [{ name: 'tide', description: 'Of a port' }], toolChoice: { mode: 'auto' } }],
    [{ tools, tool_choice: 'none' }, { toolChoice: { mode: 'none' } }],
    [{ tools, tool_choice: 'required' }, { toolChoice: { mode: 'required' } }],
    [{ tools, tool_choice: { type: 'function', function: { name: 'tide' } } }, { toolChoice: { mode: 'named', name: 'tide' } }],
    [{ tools, parallel_tool_calls: false }, { onlyFirstCall: true }],
    [{ tools, parallel_tool_calls: true }, { onlyFirstCall: false }],
    [{ response_format: { type: 'json_object' } }, { output: { format: 'json' } }],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'a' } } }, { output: { format: 'json' } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } } },
      { output: { format: 'json_schema', schema } },
    ],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'a', description: 'A tide', schema } } },
      { output: { format: 'json_schema', schema: { description: 'A tide', ...schema } } },
    ],
    ...(['none', 'minimal', 'low', 'medium', 'high'] as const).map((effort): [object, Partial<TextRequest>] => [
      { reasoning_effort: effort },
      { thinking: { kind: 'effort', effort } },
    ]),
  ])('%j', (body, expected) => expect(readChatRequest(effective(body))).toMatchObject(expected))
})
