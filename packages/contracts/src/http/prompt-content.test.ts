import { expect, it } from 'vitest'
import { parseChatCompletion } from './chat-completions-rules.ts'
import { parseMessages } from './messages-rules.ts'
import { promptOfChat, promptOfMessages } from './prompt-content.ts'
import { JPEG_BASELINE, PNG_2x3 } from './testing/small-images.ts'

function promptOf(body: { messages: unknown[]; [field: string]: unknown }) {
  const parsed = parseChatCompletion({ model: 'gm-3.5-flash', ...body })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return promptOfChat(parsed.value)
}

function promptOfBlocks(body: { messages: unknown[]; [field: string]: unknown }) {
  const parsed = parseMessages({ model: 'gm-3.5-flash', max_tokens: 64, ...body })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return promptOfMessages(parsed.value)
}

const schema = { type: 'object', properties: { port: { type: 'string' } } }

it('counts everything of a chat that reaches the model, and nothing else', () => {
  const prompt = promptOf({
    messages: [
      { role: 'system', content: 'Be brief.', name: 'not shown' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG_2x3}` } },
          { type: 'image_url', image_url: { url: 'https://example.test/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'tide', arguments: '{"port": "Brest"}' },
            extra_content: { google: { thought_signature: 'c2ln' } },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '06:12' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ],
    tools: [
      { type: 'function', function: { name: 'tide', description: 'd', parameters: schema, strict: true } },
      { type: 'function', function: { name: 'moon' } },
    ],
    response_format: { type: 'json_schema', json_schema: { name: 'unseen', description: 'e', schema, strict: true } },
    user: 'unseen',
    stop: 'unseen',
  })
  expect(prompt).toEqual({
    messages: 5,
    texts: ['Be brief.', 'Look:', 'tide', 'c2ln', '06:12', 'No.'],
    json: [
      { name: 'tide', arguments: { port: 'Brest' } },
      { name: 'tide', description: 'd', parameters: schema },
      { name: 'moon' },
      { description: 'e', schema },
    ],
    images: [{ widthPx: 2, heightPx: 3 }, 'by_url'],
  })
})

it('counts everything of messages that reaches the model, and nothing else', () => {
  const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG_2x3 } }
  const jpeg = { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: JPEG_BASELINE } }
  const prompt = promptOfBlocks({
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      { role: 'user', content: 'Look:' },
      { role: 'user', content: [png, { type: 'image', source: { type: 'url', url: 'https://example.test/' } }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'a', name: 'tide', input: { port: 'Brest' }, thought_signature: 'c2ln' }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '06:12' }, jpeg] }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'tide', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'b' }] },
    ],
    tools: [{ name: 'tide', description: 'd', input_schema: schema, strict: true }],
    metadata: { user_id: 'unseen' },
  })
  expect(prompt).toEqual({
    messages: 7,
    texts: ['Be brief.', 'Look:', 'tide', 'c2ln', '06:12', 'tide'],
    json: [
      { name: 'tide', input: { port: 'Brest' } },
      { name: 'tide', input: {} },
      { name: 'tide', description: 'd', input_schema: schema },
    ],
    images: [{ widthPx: 2, heightPx: 3 }, 'by_url', { widthPx: 5, heightPx: 7 }],
  })
})
