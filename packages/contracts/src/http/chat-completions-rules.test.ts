import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../canonical.ts'
import { parseChatCompletion } from './chat-completions-rules.ts'
import { CHAT_FIELDS } from './chat-fields.ts'
import type { EffectiveChatRequest } from './effective-chat-request.ts'

const base = { model: 'gm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }] }
const one = (message: unknown) => ({ ...base, messages: [message] })

function problemOf(body: unknown) {
  const parsed = parseChatCompletion(body)
  if (parsed.ok) throw new Error(`accepted: ${JSON.stringify(body)}`)
  return parsed.problem
}

function effective(body: unknown): EffectiveChatRequest {
  const parsed = parseChatCompletion(body)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return parsed.value
}

function fingerprint(body: unknown): string {
  return fingerprintOf('/v1/chat/completions', effective(body))
}

describe('an incomplete body', () => {
  it.each([
    ['null', null, 'body'],
    ['a string', 'x', 'body'],
    ['a number', 1, 'body'],
    ['an array', [base], 'body'],
    ['no field', {}, 'model'],
    ['no model', { messages: base.messages }, 'model'],
    ['no messages', { model: base.model }, 'messages'],
    ['a message without a role', one({ content: 'x' }), 'messages[0].role'],
    ['a message without content', { ...base, messages: [...base.messages, { role: 'user' }] }, 'messages[1].content'],
    ['an empty message', one({}), 'messages[0].role'],
    ['a part without a type', one({ role: 'user', content: [{ text: 'x' }] }), 'messages[0].content[0].type'],
    ['a text part without text', one({ role: 'user', content: [{ type: 'text' }] }), 'messages[0].content[0].text'],
    [
      'a refusal part without refusal',
      one({ role: 'assistant', content: [{ type: 'refusal', text: 'x' }] }),
      'messages[0].content[0].refusal',
    ],
  ])('is %s', (_what, body, param) => {
    expect(problemOf(body)).toEqual({ kind: 'incomplete', param, message: `${param} is required.` })
  })

  it('stays incomplete whatever else is wrong, however much of it', () => {
    expect(problemOf({ model: 5, max_tokens: 0, stream: true })).toMatchObject({ kind: 'incomplete', param: 'messages' })
    const wrong = Array.from({ length: 100 }, () => ({ role: 1, content: 2 }))
    expect(problemOf({ ...base, messages: [...wrong, { role: 'user' }] })).toMatchObject({
      kind: 'incomplete',
      param: 'messages[100].content',
    })
  })

  it('is not completed by what objects inherit', () => {
    const inherited = Object.assign(Object.create({ model: 'gm-2.5-flash' }), { messages: base.messages })
    expect(problemOf(inherited)).toMatchObject({ kind: 'incomplete', param: 'model' })
    expect(problemOf(JSON.parse('{"__proto__":{"model":"gm-2.5-flash"},"messages":[]}'))).toMatchObject({
      kind: 'incomplete',
      param: 'model',
    })
  })
})

describe('an invalid body', () => {
  it.each([
    ['model of the wrong type', { ...base, model: 5 }, 'model'],
    ['model null', { ...base, model: null }, 'model'],
    ['messages of the wrong type', { ...base, messages: 'Hi' }, 'messages'],
    ['messages null', { ...base, messages: null }, 'messages'],
    ['no message', { ...base, messages: [] }, 'messages'],
    ['too many messages', { ...base, messages: Array(10_001).fill(base.messages[0]) }, 'messages'],
    ['a message that is no object', one('Hi'), 'messages[0]'],
    ['a message null', one(null), 'messages[0]'],
    ['a role of the wrong type', one({ role: 1, content: 'x' }), 'messages[0].role'],
    ['an unknown role', one({ role: 'robot', content: 'x' }), 'messages[0].role'],
    ['an inherited role', one({ role: 'constructor', content: 'x' }), 'messages[0].role'],
    ['no turn that says anything', one({ role: 'user', content: '' }), 'messages'],
    ['no turn of anybody', one({ role: 'system', content: 'x' }), 'messages'],
    ['content null', one({ role: 'user', content: null }), 'messages[0].content'],
    ['content null of an assistant', one({ role: 'assistant', content: null }), 'messages[0].content'],
    ['content of the wrong type', one({ role: 'user', content: 5 }), 'messages[0].content'],
    ['content an object', one({ role: 'user', content: { type: 'text', text: 'x' } }), 'messages[0].content'],
    ['no part', one({ role: 'user', content: [] }), 'messages[0].content'],
    ['a part that is no object', one({ role: 'user', content: ['x'] }), 'messages[0].content[0]'],
    ['a part of an unknown type', one({ role: 'user', content: [{ type: 'input_audio' }] }), 'messages[0].content[0].type'],
    ['a text that is no string', one({ role: 'user', content: [{ type: 'text', text: 5 }] }), 'messages[0].content[0].text'],
    ['a text null', one({ role: 'user', content: [{ type: 'text', text: null }] }), 'messages[0].content[0].text'],
    ['max_tokens 0', { ...base, max_tokens: 0 }, 'max_tokens'],
    ['max_tokens below', { ...base, max_tokens: -1 }, 'max_tokens'],
    ['max_tokens 65537', { ...base, max_tokens: 65_537 }, 'max_tokens'],
    ['max_tokens 1.5', { ...base, max_tokens: 1.5 }, 'max_tokens'],
    ['max_tokens a string', { ...base, max_tokens: '512' }, 'max_tokens'],
    ['max_tokens beyond all numbers', { ...base, max_tokens: Number.POSITIVE_INFINITY }, 'max_tokens'],
    ['max_completion_tokens 0', { ...base, max_completion_tokens: 0 }, 'max_completion_tokens'],
    ['max_completion_tokens 65537', { ...base, max_completion_tokens: 65_537 }, 'max_completion_tokens'],
    ['two ceilings', { ...base, max_tokens: 512, max_completion_tokens: 513 }, 'max_completion_tokens'],
    ['stream true', { ...base, stream: true }, 'stream'],
    ['stream "false"', { ...base, stream: 'false' }, 'stream'],
    ['stream 0', { ...base, stream: 0 }, 'stream'],
    ['tools no array', { ...base, tools: {} }, 'tools'],
    ['n 2', { ...base, n: 2 }, 'n'],
    ['temperature 2.1', { ...base, temperature: 2.1 }, 'temperature'],
    ['temperature -0.1', { ...base, temperature: -0.1 }, 'temperature'],
    ['top_p 1.1', { ...base, top_p: 1.1 }, 'top_p'],
    ['seed 1.5', { ...base, seed: 1.5 }, 'seed'],
    ['seed beyond 32 bits', { ...base, seed: 2 ** 31 }, 'seed'],
    ['parallel_tool_calls "no"', { ...base, parallel_tool_calls: 'no' }, 'parallel_tool_calls'],
    ['reasoning_effort "xhigh"', { ...base, reasoning_effort: 'xhigh' }, 'reasoning_effort'],
    ['raw_output 1', { ...base, raw_output: 1 }, 'raw_output'],
    ['response_format of the wrong type', { ...base, response_format: 'text' }, 'response_format'],
    ['stop too long', { ...base, stop: 'x'.repeat(1_001) }, 'stop'],
    ['stop empty', { ...base, stop: '' }, 'stop'],
    ['stop of six', { ...base, stop: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stop'],
    ['stop of an empty string', { ...base, stop: ['a', ''] }, 'stop[1]'],
  ])('%s is named', (_what, body, param) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it.each([
    ['functions', { ...base, functions: [] }, 'functions', 'unsupported_field'],
    ['logit_bias', { ...base, logit_bias: {} }, 'logit_bias', 'unsupported_field'],
    ['web_search_options', { ...base, web_search_options: {} }, 'web_search_options', 'unsupported_field'],
    ['top_logprobs', { ...base, top_logprobs: 3 }, 'top_logprobs', 'unsupported_field'],
    ['prediction', { ...base, prediction: {} }, 'prediction', 'unsupported_field'],
    ['audio', { ...base, audio: {} }, 'audio', 'unsupported_field'],
    ['moderation', { ...base, moderation: {} }, 'moderation', 'unsupported_field'],
    ['function_call', { ...base, function_call: 'auto' }, 'function_call', 'unsupported_field'],
    ['stream_options', { ...base, stream_options: {} }, 'stream_options', 'unsupported_field'],
    ['tool_call_id', one({ role: 'user', content: 'x', tool_call_id: 'c' }), 'messages[0].tool_call_id', 'unsupported_field'],
    ['presence_penalty', { ...base, presence_penalty: 0.1 }, 'presence_penalty', 'unsupported_value'],
    ['frequency_penalty', { ...base, frequency_penalty: '0' }, 'frequency_penalty', 'unsupported_value'],
    ['logprobs', { ...base, logprobs: true }, 'logprobs', 'unsupported_value'],
    ['verbosity', { ...base, verbosity: 'low' }, 'verbosity', 'unsupported_value'],
    ['audio output', { ...base, modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
  ])('that asks for %s says that it is not supported instead of ignoring it', (_what, body, param, code) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code, param })
  })

  it('never repeats what the client wrote', () => {
    const secret = 'a-secret-of-the-client'
    for (const body of [
      { ...base, model: { [secret]: secret } },
      one({ role: secret, content: 'x' }),
      one({ role: 'user', content: [{ type: secret }] }),
      { ...base, max_tokens: secret },
      { ...base, stream: secret },
      { ...base, response_format: { type: secret } },
    ]) {
      expect(JSON.stringify(problemOf(body))).not.toContain(secret)
    }
  })
})

describe('the effective request', () => {
  it('has its defaults filled in', () => {
    expect(effective(base)).toEqual({ ...base, max_tokens: 512, stream: false })
  })

  it.each([1, 512, 65_536])('takes a ceiling of %i by either name, or by both', (ceiling) => {
    for (const spelled of [
      { max_tokens: ceiling },
      { max_completion_tokens: ceiling },
      { max_tokens: ceiling, max_completion_tokens: ceiling },
    ]) {
      const request = effective({ ...base, ...spelled })
      expect(request.max_tokens).toBe(ceiling)
      expect(request).not.toHaveProperty('max_completion_tokens')
    }
  })

  it('takes every bound itself', () => {
    for (const fields of [
      { temperature: 0, top_p: 0, seed: -(2 ** 31) },
      { temperature: 2, top_p: 1, seed: 2 ** 31 - 1 },
      { stop: ['a', 'b', 'c', 'd', 'e'] },
      { messages: Array(10_000).fill(base.messages[0]) },
    ]) {
      expect(effective({ ...base, ...fields })).toMatchObject(fields)
    }
  })

  it('takes every role, and a refusal as the text that it was', () => {
    const messages = [
      { role: 'system', content: 's' },
      { role: 'developer', content: 'd' },
      { role: 'user', content: [{ type: 'text', text: '' }] },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ]
    expect(effective({ ...base, messages }).messages).toEqual([
      ...messages.slice(0, 3),
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
    ])
  })

  it('is a request itself, and its own effective request', () => {
    const once = effective({
      ...base,
      stop: 'x',
      tools: [],
      n: 1,
      max_completion_tokens: 9,
      metadata: { a: [1] },
      raw_output: true,
      reasoning_effort: 'low',
      messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.', x: 1 }], name: 'n' }],
    })
    expect(effective(once)).toEqual(once)
  })

  it('leaves the body as it was', () => {
    const body = { ...base, stop: 'x', max_completion_tokens: 5, response_format: { type: 'text' } }
    const before = structuredClone(body)
    effective(body)
    expect(body).toEqual(before)
  })
})

describe('the fingerprint', () => {
  const plain = fingerprint(base)

  it.each([
    ['other order of members', { messages: [{ content: 'Hi', role: 'user' }], model: 'gm-2.5-flash' }],
    ['max_tokens at its default', { ...base, max_tokens: 512 }],
    ['max_completion_tokens at the default', { ...base, max_completion_tokens: 512 }],
    ['max_tokens as 5.12e2', JSON.parse(JSON.stringify(base).replace('{', '{"max_tokens":5.12e2,'))],
    ['stream false', { ...base, stream: false }],
    ['n 1', { ...base, n: 1 }],
    ['no tools', { ...base, tools: [] }],
    [
      'fields that are null',
      {
        ...base,
        ...Object.fromEntries(Object.keys(CHAT_FIELDS).map((field) => [field, null])),
        ...base,
        messages: [{ role: 'user', content: 'Hi', name: null }],
      },
    ],
    ['a text format', { ...base, response_format: { type: 'text' } }],
    ['penalties of 0', { ...base, presence_penalty: 0, frequency_penalty: 0 }],
    ['parallel tool calls, or not, without tools', { ...base, parallel_tool_calls: false, tool_choice: 'none' }],
    ['medium verbosity', { ...base, verbosity: 'medium' }],
    ['logprobs and raw_output false', { ...base, logprobs: false, raw_output: false }],
    ['text alone', { ...base, modalities: ['text'] }],
    ['escaped characters', JSON.parse(JSON.stringify(base).replace('Hi', '\\u0048\\u0069'))],
  ])('is the same with %s', (_what, body) => {
    expect(fingerprint(body)).toBe(plain)
  })

  it.each([
    ['model', { ...base, model: 'gm-2.5-pro' }],
    ['ceiling', { ...base, max_tokens: 511 }],
    ['text', one({ role: 'user', content: 'Hi ' })],
    ['role', one({ role: 'assistant', content: 'Hi' })],
    ['temperature', { ...base, temperature: 0 }],
    ['stop', { ...base, stop: 'x' }],
    ['unknown field', { ...base, user: 'u' }],
    ['unknown empty field', { ...base, metadata: {} }],
    ['unknown field of a message', one({ role: 'user', content: 'Hi', name: 'n' })],
    [
      'member called __proto__',
      JSON.parse('{"__proto__":{"a":1},"model":"gm-2.5-flash","messages":[{"role":"user","content":"Hi"}]}'),
    ],
    ['member called constructor', { ...base, constructor: 1 }],
    ['member called toJSON', { ...base, toJSON: 1 }],
    ['second message', { ...base, messages: [...base.messages, ...base.messages] }],
  ])('is another with another %s', (_what, body) => {
    expect(fingerprint(body)).not.toBe(plain)
  })

  it('covers the unknown fields of a part', () => {
    const withPart = (part: object) => fingerprint(one({ role: 'user', content: [{ type: 'text', text: 'Hi', ...part }] }))
    expect(withPart({ cache: 'a' })).not.toBe(withPart({}))
    expect(withPart({ cache: 'a' })).not.toBe(withPart({ cache: 'b' }))
    expect(withPart({ cache: null })).toBe(withPart({}))
  })

  it('is one for stop as a string and as a list of one', () => {
    expect(fingerprint({ ...base, stop: 'x' })).toBe(fingerprint({ ...base, stop: ['x'] }))
    expect(fingerprint({ ...base, stop: ['x', 'y'] })).not.toBe(fingerprint({ ...base, stop: ['y', 'x'] }))
  })

  it('is another on another endpoint', () => {
    expect(fingerprintOf('/v1/messages', effective(base))).not.toBe(plain)
  })

  it('pollutes nothing', () => {
    effective(
      JSON.parse(
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"model":"m","messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}',
      ),
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
