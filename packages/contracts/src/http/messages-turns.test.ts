import { describe, expect, it } from 'vitest'
import { parseMessages } from './messages-rules.ts'
import { GIF, JPEG_BASELINE, PNG_2x3 } from './testing/small-images.ts'

type Block = { [field: string]: unknown }
const user = (...content: Block[]) => ({ role: 'user', content })
const assistant = (...content: Block[]) => ({ role: 'assistant', content })
const text = { type: 'text', text: 'When is high tide?' }
const use = (id: string, more: Block = {}) => ({
  type: 'tool_use',
  id,
  name: 'tide',
  input: { port: 'Brest', when: null },
  ...more,
})
const result = (id: string, more: Block = {}) => ({ type: 'tool_result', tool_use_id: id, content: '06:12', ...more })
const image = (source: Block, more: Block = {}) => ({ type: 'image', source, ...more })
const png = image({ type: 'base64', media_type: 'image/png', data: PNG_2x3 })
const byUrl = image({ type: 'url', url: 'https://example.test/a.png' })

function parse(...messages: unknown[]) {
  return parseMessages({ model: 'gm-3.5-flash', max_tokens: 64, messages })
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

describe('a conversation', () => {
  it('is kept: text, images, parallel and sequential calls, results with errors and images', () => {
    const messages = [
      user(text, png, byUrl),
      assistant(text, use('a', { thought_signature: 'c2lnbmF0dXJl' }), use('b')),
      user(result('b', { is_error: true }), result('a', { content: [text, png] }), text),
      assistant(use('a')),
      user(result('a')),
      { role: 'assistant', content: 'It is now.' },
    ]
    expect(effective(...messages)).toEqual(messages)
  })

  it('takes what the official client sends back: nulls, caching, citations, direct callers', () => {
    const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    expect(
      effective(
        user({ ...text, ...cached }, { ...png, ...cached, transformations: null }),
        assistant(
          { ...text, citations: null },
          use('a', { caller: { type: 'direct' }, toolset_name: null, thought_signature: null }),
        ),
        user(result('a', { ...cached, is_error: false, content: [{ ...text, citations: [] }] })),
      ),
    ).toEqual([user(text, png), assistant(text, use('a')), user(result('a', { content: [text] }))])
  })

  it('takes a result that says nothing in any spelling', () => {
    const bare = { type: 'tool_result', tool_use_id: 'a' }
    for (const spelled of [bare, result('a', { content: [] }), result('a', { content: null })]) {
      expect(effective(user(text), assistant(use('a')), user(spelled))[2]).toEqual(user(bare))
    }
  })

  it('may give the results in several user messages in a row', () => {
    expect(effective(user(text), assistant(use('a'), use('b')), user(result('a')), user(result('b')))).toHaveLength(4)
  })

  it.each([
    ['a result without its call', [user(result('a'))], 'messages[0].content[0].tool_use_id'],
    ['a result of an unknown call', [user(text), assistant(use('a')), user(result('b'))], 'messages[2].content[0].tool_use_id'],
    [
      'two results of one call',
      [user(text), assistant(use('a')), user(result('a'), result('a'))],
      'messages[2].content[1].tool_use_id',
    ],
    [
      'a result of an earlier step',
      [user(text), assistant(use('a')), user(result('a')), assistant(use('b')), user(result('a'))],
      'messages[4].content[0].tool_use_id',
    ],
    ['a call without its result', [user(text), assistant(use('a'), use('b')), user(result('a'))], 'messages[1].content'],
    ['a call on top of a call', [user(text), assistant(use('a')), assistant(text), user(result('a'))], 'messages[1].content'],
    ['one id twice', [user(text), assistant(use('a'), use('a')), user(result('a'))], 'messages[1].content[1].id'],
    ['a call of a user', [user(use('a'))], 'messages[0].content[0]'],
    ['a result of an assistant', [assistant(result('a'))], 'messages[0].content[0]'],
    ['an image of an assistant', [assistant(png)], 'messages[0].content[0]'],
    ['a block of an unknown type', [user({ type: 'video' })], 'messages[0].content[0].type'],
    [
      'a call inside a result',
      [user(text), assistant(use('a')), user(result('a', { content: [use('b')] }))],
      'messages[2].content[0].content[0].type',
    ],
    ['a name that is none', [user(text), assistant(use('a', { name: '' })), user(result('a'))], 'messages[1].content[0].name'],
    [
      'an input that is a list',
      [user(text), assistant(use('a', { input: [] })), user(result('a'))],
      'messages[1].content[0].input',
    ],
    [
      'an input that is a string',
      [user(text), assistant(use('a', { input: '{}' })), user(result('a'))],
      'messages[1].content[0].input',
    ],
    [
      'an input without bottom',
      [user(text), assistant(use('a', { input: JSON.parse(`{"a":${'['.repeat(65)}${']'.repeat(65)}}`) })), user(result('a'))],
      'messages[1].content[0].input',
    ],
    [
      'a signature that is none',
      [user(text), assistant(use('a', { thought_signature: '?' })), user(result('a'))],
      'messages[1].content[0].thought_signature',
    ],
    [
      'an image of another type than it says',
      [user(image({ type: 'base64', media_type: 'image/png', data: JPEG_BASELINE }))],
      'messages[0].content[0].source.media_type',
    ],
    [
      'an image that is none',
      [user(image({ type: 'base64', media_type: 'image/png', data: 'AAAA' }))],
      'messages[0].content[0].source.data',
    ],
    ['a source that is none', [user(image({ type: 'bytes' }))], 'messages[0].content[0].source.type'],
    [
      'an image by a data URL',
      [user(image({ type: 'url', url: `data:image/png;base64,${PNG_2x3}` }))],
      'messages[0].content[0].source.url',
    ],
  ])('is refused for %s', (_what, messages, param) => {
    expect(problemOf(...messages)).toMatchObject({ kind: 'invalid', param })
  })

  it.each([
    ['a block without a type', [user({ text: 'x' })], 'messages[0].content[0].type'],
    ['a text block without text', [user({ type: 'text' })], 'messages[0].content[0].text'],
    ['an image without a source', [user({ type: 'image' })], 'messages[0].content[0].source'],
    ['a source without a type', [user(image({}))], 'messages[0].content[0].source.type'],
    ['a source without data', [user(image({ type: 'base64', media_type: 'image/png' }))], 'messages[0].content[0].source.data'],
    ['a source without a URL', [user(image({ type: 'url' }))], 'messages[0].content[0].source.url'],
    ['a call without an id', [assistant({ type: 'tool_use', name: 'f', input: {} })], 'messages[0].content[0].id'],
    ['a call without input', [assistant({ type: 'tool_use', id: 'a', name: 'f' })], 'messages[0].content[0].input'],
    ['a result without an id', [user({ type: 'tool_result' })], 'messages[0].content[0].tool_use_id'],
    [
      'a text without text in a result',
      [user(result('a', { content: [{ type: 'text' }] }))],
      'messages[0].content[0].content[0].text',
    ],
  ])('is incomplete with %s', (_what, messages, param) => {
    expect(problemOf(...messages)).toEqual({ kind: 'incomplete', param, message: `${param} is required.` })
  })

  it.each(['thinking', 'redacted_thinking', 'document', 'search_result', 'server_tool_use'])('names %s blocks', (type) => {
    for (const messages of [[user({ type })], [user(text), assistant(use('a')), user(result('a', { content: [{ type }] }))]]) {
      const problem = problemOf(...messages)
      expect(problem).toMatchObject({ kind: 'invalid', code: 'unsupported_value' })
      expect(problem.message).toContain(`${type} blocks are not supported`)
    }
  })

  it.each([
    ['a file', [user(image({ type: 'file', file_id: 'f' }))], 'messages[0].content[0].source.type', 'unsupported_value'],
    [
      'a GIF',
      [user(image({ type: 'base64', media_type: 'image/gif', data: GIF }))],
      'messages[0].content[0].source.data',
      'unsupported_value',
    ],
    [
      'http',
      [user(image({ type: 'url', url: 'http://example.test/' }))],
      'messages[0].content[0].source.url',
      'unsupported_value',
    ],
    ['transformations', [user({ ...png, transformations: {} })], 'messages[0].content[0].transformations', 'unsupported_field'],
    [
      'another caller',
      [user(text), assistant(use('a', { caller: { type: 'code_execution_20250825' } }))],
      'messages[1].content[0].caller',
      'unsupported_field',
    ],
    [
      'a toolset',
      [user(text), assistant(use('a', { toolset_name: 'browser' }))],
      'messages[1].content[0].toolset_name',
      'unsupported_field',
    ],
    [
      'a toolset of a result',
      [user(result('a', { toolset_name: 'browser' }))],
      'messages[0].content[0].toolset_name',
      'unsupported_field',
    ],
  ])('names what is not supported: %s', (_what, messages, param, code) => {
    expect(problemOf(...messages)).toMatchObject({ kind: 'invalid', code, param })
  })

  it('holds at most 100 images, those inside of results too, and 20 by URL', () => {
    const inResult = [
      user(text),
      assistant(use('a')),
      user(result('a', { content: Array(60).fill(png) }), ...Array(40).fill(png)),
    ]
    expect(effective(...inResult)).toHaveLength(3)
    expect(problemOf(...inResult, user(png))).toMatchObject({ param: 'messages[3].content[0].source.data' })
    expect(problemOf(user(...Array(21).fill(byUrl)))).toMatchObject({ param: 'messages[0].content[20].source.url' })
  })

  it('of 20 MiB is judged at once', () => {
    const bytes = 20 * 1024 * 1024
    for (const messages of [
      [user(image({ type: 'base64', media_type: 'image/png', data: 'A'.repeat(bytes) }))],
      [user(image({ type: 'url', url: `https:${'/'.repeat(bytes)}` }))],
      [
        user(text),
        assistant(...Array.from({ length: 10_000 }, (_, n) => use(`a${n}`))),
        user(...Array.from({ length: 10_000 }, (_, n) => result(`a${n}`))),
      ],
      [user(text), assistant(use('a', { thought_signature: 'A'.repeat(bytes) })), user(result('a'))],
    ]) {
      const startedUs = process.threadCpuUsage().user
      parse(...messages)
      // Processor time: a machine that is busy with something else says nothing about this.
      expect(process.threadCpuUsage().user - startedUs).toBeLessThan(5_000_000)
    }
  })
})
