import { describe, expect, it } from 'vitest'
import { parseChatCompletion } from './chat-completions-rules.ts'
import { PNG_2x3 } from './testing/small-images.ts'

const ask = { role: 'user', content: 'When is high tide?' }
const call = (id: string, more: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'tide', arguments: '{"port":"Brest"}' },
  ...more,
})
const calling = (...calls: object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '06:12' })
const image = (url: string, more: object = {}) => ({
  role: 'user',
  content: [{ type: 'image_url', image_url: { url, ...more } }],
})
const dataUrl = `data:image/png;base64,${PNG_2x3}`

function parse(...messages: unknown[]) {
  return parseChatCompletion({ model: 'gm-3.5-flash', messages })
}

function effective(...messages: unknown[]) {
  const parsed = parse(...messages)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return parsed.value.messages
}

function problemOf(...messages: unknown[]) {
  const parsed = parse(...messages)
  if (parsed.ok) throw new Error('accepted')
  return parsed.problem
}

describe('a conversation with tools', () => {
  it('is kept: parallel and sequential calls, text beside them, signatures', () => {
    const signed = { extra_content: { google: { thought_signature: 'c2lnbmF0dXJl' } } }
    const messages = [
      ask,
      calling(call('a', signed), call('b')),
      result('b'),
      result('a'),
      { ...calling(call('a')), content: 'Once more.' },
      result('a'),
      ask,
    ]
    expect(effective(...messages)).toEqual(messages)
  })

  it('takes what official clients send back: nulls, no arguments, no calls', () => {
    const echoed = {
      ...calling({ ...call('a'), function: { name: 'tide', arguments: '' } }),
      refusal: null,
      audio: null,
      function_call: null,
    }
    expect(effective(ask, echoed, result('a'))[1]).toEqual(calling({ ...call('a'), function: { name: 'tide', arguments: '{}' } }))
    expect(effective(ask, { role: 'assistant', content: 'x', tool_calls: [] })[1]).toEqual({ role: 'assistant', content: 'x' })
    const unsigned = effective(ask, calling(call('a', { extra_content: { google: null } })), result('a'))[1]
    expect(unsigned).toEqual(calling(call('a')))
  })

  it('may leave out what its caller does not say, which is the same request as saying null', () => {
    const { content: _, ...silent } = calling(call('a'))
    expect(effective(ask, silent, result('a'))).toEqual(effective(ask, calling(call('a')), result('a')))
  })

  it.each([
    ['a caller of nothing', { role: 'assistant', tool_calls: [] }],
    ['an assistant', { role: 'assistant' }],
    ['a user', { role: 'user', tool_calls: [call('a')] }],
  ])('needs the content of %s', (_, message) => {
    expect(parse(ask, message)).toMatchObject({ ok: false, problem: { kind: 'incomplete' } })
  })

  it('may be interrupted by instructions only', () => {
    expect(effective(ask, calling(call('a')), { role: 'system', content: 's' }, result('a'))).toHaveLength(4)
  })

  const answered = (...calls: object[]) => [ask, calling(...calls), result('a')]
  it.each([
    ['a result without its call', [ask, result('a')], 'messages[1].tool_call_id'],
    ['a result of an unknown call', [ask, calling(call('a')), result('b')], 'messages[2].tool_call_id'],
    ['two results of one call', [ask, calling(call('a')), result('a'), result('a')], 'messages[3].tool_call_id'],
    [
      'a result of an earlier step',
      [ask, calling(call('a')), result('a'), calling(call('b')), result('a')],
      'messages[4].tool_call_id',
    ],
    ['a call without its result', [ask, calling(call('a'), call('b')), result('a')], 'messages[1].tool_calls'],
    ['a call that is talked over', [ask, calling(call('a')), ask, result('a')], 'messages[1].tool_calls'],
    [
      'a call on top of a call',
      [ask, calling(call('a')), calling(call('b')), result('a'), result('b')],
      'messages[1].tool_calls',
    ],
    ['one id twice', answered(call('a'), call('a')), 'messages[1].tool_calls[1].id'],
    ['an empty id', answered(call('')), 'messages[1].tool_calls[0].id'],
    [
      'arguments that are no JSON',
      answered(call('a', { function: { name: 'f', arguments: '{' } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments with half a character',
      answered(call('a', { function: { name: 'f', arguments: '{"a":"\\ud800"}' } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments beyond all numbers',
      answered(call('a', { function: { name: 'f', arguments: '{"a":1e999}' } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments that are a list',
      answered(call('a', { function: { name: 'f', arguments: '[]' } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments that are no text',
      answered(call('a', { function: { name: 'f', arguments: {} } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'arguments without bottom',
      answered(call('a', { function: { name: 'f', arguments: `{"a":${'['.repeat(1e6)}` } })),
      'messages[1].tool_calls[0].function.arguments',
    ],
    [
      'a name that is none',
      answered(call('a', { function: { name: 'f g', arguments: '{}' } })),
      'messages[1].tool_calls[0].function.name',
    ],
    [
      'a signature that is none',
      answered(call('a', { extra_content: { google: { thought_signature: 'é' } } })),
      'messages[1].tool_calls[0].extra_content.google.thought_signature',
    ],
    [
      'a signature that is no text',
      answered(call('a', { extra_content: { google: { thought_signature: 1 } } })),
      'messages[1].tool_calls[0].extra_content.google.thought_signature',
    ],
  ])('is refused for %s', (_what, messages, param) => {
    expect(problemOf(...messages)).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it.each([
    [
      'a call without an id',
      [ask, calling({ type: 'function', function: { name: 'f', arguments: '{}' } })],
      'messages[1].tool_calls[0].id',
    ],
    ['a call without a function', [ask, calling({ id: 'a', type: 'function' })], 'messages[1].tool_calls[0].function'],
    [
      'a call without arguments',
      [ask, calling(call('a', { function: { name: 'f' } }))],
      'messages[1].tool_calls[0].function.arguments',
    ],
    ['a result without an id', [ask, { role: 'tool', content: 'x' }], 'messages[1].tool_call_id'],
    ['a result without content', [ask, { role: 'tool', tool_call_id: 'a' }], 'messages[1].content'],
    [
      'an image without a URL',
      [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }],
      'messages[0].content[0].image_url.url',
    ],
  ])('is incomplete with %s, whatever else is wrong', (_what, messages, param) => {
    expect(problemOf({ role: 'robot', content: 5 }, ...messages)).toMatchObject({
      kind: 'incomplete',
      param: param.replace(/\d+/, (index) => String(Number(index) + 1)),
    })
  })

  it.each([
    ['tool_calls of a user', [{ ...ask, tool_calls: [call('a')] }], 'messages[0].tool_calls', 'unsupported_field'],
    ['tool_call_id of a user', [{ ...ask, tool_call_id: 'a' }], 'messages[0].tool_call_id', 'unsupported_field'],
    [
      'a message-level refusal',
      [ask, { role: 'assistant', content: 'x', refusal: 'No.' }],
      'messages[1].refusal',
      'unsupported_field',
    ],
    [
      'a function_call',
      [ask, { role: 'assistant', content: 'x', function_call: {} }],
      'messages[1].function_call',
      'unsupported_field',
    ],
    ['a custom call', [ask, calling({ id: 'a', type: 'custom' })], 'messages[1].tool_calls[0].type', 'unsupported_value'],
    ['an image of an assistant', [ask, { ...image(dataUrl), role: 'assistant' }], 'messages[1].content[0]', 'unsupported_value'],
    [
      'an image in a result',
      [ask, calling(call('a')), { ...image(dataUrl), role: 'tool', tool_call_id: 'a' }],
      'messages[2].content[0]',
      'unsupported_value',
    ],
  ])('names what is not supported: %s', (_what, messages, param, code) => {
    expect(problemOf(...messages)).toMatchObject({ kind: 'invalid', code, param })
  })
})

describe('images', () => {
  it('are kept, spelled one way', () => {
    expect(effective(image(dataUrl))).toEqual([image(dataUrl)])
    expect(effective(image(`DATA:Image/PNG;BASE64,${PNG_2x3}`, { detail: 'auto' }))).toEqual([image(dataUrl)])
    expect(effective(image('HTTPS://Example.test/a b.png', { detail: 'low' }))).toEqual([
      image('https://example.test/a%20b.png', { detail: 'low' }),
    ])
  })

  it('are at most 100, and 20 of them by URL', () => {
    const many = (count: number, url: string) => ({ role: 'user', content: Array(count).fill(image(url).content[0]) })
    expect(effective(many(100, dataUrl))).toHaveLength(1)
    expect(problemOf(many(100, dataUrl), image(dataUrl))).toMatchObject({ param: 'messages[1].content[0].image_url.url' })
    expect(effective(many(20, 'https://x.test/'))).toHaveLength(1)
    expect(problemOf(many(21, 'https://x.test/'))).toMatchObject({ param: 'messages[0].content[20].image_url.url' })
  })
})

describe('a body of 20 MiB', () => {
  const bytes = 20 * 1024 * 1024
  it.each([
    [
      'arguments full of brackets',
      [ask, calling(call('a', { function: { name: 'f', arguments: `{"a":"${'['.repeat(bytes)}"}` } })), result('a')],
    ],
    [
      'arguments full of values',
      [ask, calling(call('a', { function: { name: 'f', arguments: `{"a":[${'1,'.repeat(bytes / 2)}1]}` } })), result('a')],
    ],
    ['a data URL of rubbish', [image(`data:image/png;base64,${'A'.repeat(bytes)}`)]],
    ['a data URL that never begins', [image(`data:${';'.repeat(bytes)}`)]],
    ['a URL of slashes', [image(`https:${'/'.repeat(bytes)}`)]],
    [
      'ten thousand calls',
      [
        ask,
        calling(...Array.from({ length: 512 }, (_, n) => call(`c${n}`))),
        ...Array.from({ length: 9_000 }, (_, n) => result(`c${n}`)),
      ],
    ],
  ])('is judged at once: %s', (_what, messages) => {
    const startedUs = process.threadCpuUsage().user
    parse(...messages)
    // Processor time: a machine that is busy with something else says nothing about this.
    expect(process.threadCpuUsage().user - startedUs).toBeLessThan(5_000_000)
  })
})
