import type { EffectiveMessagesRequest } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import type { TextRequest } from '../../text/text-request.ts'
import { messagesImageUrls, readMessagesRequest } from './read-request.ts'

const read = (request: Partial<EffectiveMessagesRequest>, images?: Parameters<typeof readMessagesRequest>[1]): TextRequest =>
  readMessagesRequest(
    { model: 'gm-2.5-flash', max_tokens: 64, stream: false, messages: [{ role: 'user', content: 'Hi' }], ...request },
    images,
  )
const text = (words: string) => ({ type: 'text' as const, text: words })
const inline = { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data: 'iVBO' } }
const byUrl = (url: string) => ({ type: 'image' as const, source: { type: 'url' as const, url } })

it('takes the system prompt as text or as blocks, and leaves empty ones out', () => {
  expect(read({}).system).toEqual([])
  expect(read({ system: 'Be brief.' }).system).toEqual(['Be brief.'])
  expect(read({ system: '' }).system).toEqual([])
  const blocks = [{ ...text('Be brief.'), cache_control: { type: 'ephemeral' } }, text(''), text('Be kind.')]
  expect(read({ system: blocks }).system).toEqual(['Be brief.', 'Be kind.'])
})

it('drops what only caches or cites, and joins turns of one role', () => {
  const { turns } = read({
    messages: [
      { role: 'user', content: [{ ...text('One'), cache_control: { type: 'ephemeral' }, citations: [] }] },
      { role: 'user', content: 'Two' },
      { role: 'assistant', content: [text(''), text('Three')] },
    ],
  })
  expect(turns).toEqual([
    { role: 'user', parts: [text('One'), text('Two')] },
    { role: 'assistant', parts: [text('Three')] },
  ])
})

it('takes images as bytes and by URL, inside tool results too', () => {
  const fetched = { type: 'image' as const, mimeType: 'image/webp', base64: 'UklG' }
  const request: Partial<EffectiveMessagesRequest> = {
    messages: [
      { role: 'user', content: [inline, byUrl('https://images.example/a')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [text('Seen'), byUrl('https://images.example/b')] }],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b', content: [byUrl('https://images.example/a')] }] },
    ],
  }
  const urls = messagesImageUrls({ model: 'm', max_tokens: 1, stream: false, messages: request.messages ?? [] })
  expect(urls).toEqual(['https://images.example/a', 'https://images.example/b'])
  const { turns } = read(request, new Map(urls.map((url) => [url, fetched])))
  expect(turns[0]?.parts).toEqual([{ type: 'image', mimeType: 'image/png', base64: 'iVBO' }, fetched])
  expect(turns[2]?.parts).toMatchObject([{ text: 'Seen', images: [fetched] }])
  expect(turns[4]?.parts).toMatchObject([{ text: '', images: [fetched] }])
  expect(() => read(request)).toThrow('not fetched')
})

it('names each result after its call, orders them by the calls and puts them before the words of the user', () => {
  const { turns } = read({
    messages: [
      { role: 'user', content: 'Both' },
      {
        role: 'assistant',
        content: [
          text('Looking.'),
          { type: 'tool_use', id: 'a', name: 'tide', input: { port: 'Brest' }, thought_signature: 'c2ln' },
          { type: 'tool_use', id: 'b', name: 'moon', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          text('Here:'),
          { type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'no moon' },
          { type: 'tool_result', tool_use_id: 'a', content: [text('high'), text('at six')] },
        ],
      },
    ],
  })
  expect(turns[1]?.parts).toEqual([
    text('Looking.'),
    { type: 'tool_call', id: 'a', name: 'tide', arguments: { port: 'Brest' }, signature: 'c2ln' },
    { type: 'tool_call', id: 'b', name: 'moon', arguments: {} },
  ])
  expect(turns[2]?.parts).toEqual([
    { type: 'tool_result', callId: 'a', name: 'tide', text: 'high\nat six', isError: false, images: [] },
    { type: 'tool_result', callId: 'b', name: 'moon', text: 'no moon', isError: true, images: [] },
    text('Here:'),
  ])
})

it('gives a result without content, and ids that come again in a later step, to the call before them', () => {
  const step = (name: string): EffectiveMessagesRequest['messages'] => [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'same', name, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'same' }] },
  ]
  const { turns } = read({ messages: [{ role: 'user', content: 'Go' }, ...step('tide'), ...step('moon')] })
  expect(turns[2]?.parts).toMatchObject([{ name: 'tide', text: '', isError: false }])
  expect(turns[4]?.parts).toMatchObject([{ name: 'moon', text: '', isError: false }])
})

describe('settings', () => {
  it.each<[Partial<EffectiveMessagesRequest>, Partial<TextRequest>]>([
    [
      {},
      { maxOutputTokens: 64, sampling: {}, stopSequences: [], thinking: { kind: 'minimum' }, onlyFirstCall: false, tools: [] },
    ],
    [{ temperature: 0, top_p: 0, top_k: 0 }, { sampling: { temperature: 0, topP: 0, topK: 0 } }],
    [{ stop_sequences: ['END'] }, { stopSequences: ['END'] }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_048 } }, { thinking: { kind: 'budget', tokens: 2_048 } }],
    [{ thinking: { type: 'adaptive' } }, { thinking: { kind: 'adaptive' } }],
    [{ tool_choice: { type: 'auto' } }, { toolChoice: { mode: 'auto' }, onlyFirstCall: false }],
    [{ tool_choice: { type: 'any' } }, { toolChoice: { mode: 'required' } }],
    [{ tool_choice: { type: 'none' } }, { toolChoice: { mode: 'none' } }],
    [{ tool_choice: { type: 'tool', name: 'tide' } }, { toolChoice: { mode: 'named', name: 'tide' } }],
    [
      { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { toolChoice: { mode: 'required' }, onlyFirstCall: true },
    ],
    [
      {
        tools: [
          { name: 'tide', description: 'Of a port', input_schema: { type: 'object' } },
          { name: 'moon', input_schema: {} },
        ],
      },
      {
        tools: [
          { name: 'tide', description: 'Of a port', parameters: { type: 'object' } },
          { name: 'moon', parameters: {} },
        ],
      },
    ],
  ])('%j', (request, expected) => expect(read(request)).toMatchObject(expected))
})
