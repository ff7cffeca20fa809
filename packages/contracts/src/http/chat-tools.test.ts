import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../canonical.ts'
import { parseChatCompletion } from './chat-completions-rules.ts'
import type { RequestProblem } from './request-problem.ts'

const base = { model: 'gm-3.5-flash', messages: [{ role: 'user', content: 'Hi' }] }
const schema = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] }
const tide = { type: 'function', function: { name: 'tide', description: 'When it turns.', parameters: schema } }
const moon = { type: 'function', function: { name: 'moon' } }
const withTools = { ...base, tools: [tide, moon] }
const format = (json_schema: object) => ({ ...base, response_format: { type: 'json_schema', json_schema } })

function effective(body: object) {
  const parsed = parseChatCompletion(body)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return parsed.value
}

function problemOf(body: object): RequestProblem {
  const parsed = parseChatCompletion(body)
  if (parsed.ok) throw new Error('accepted')
  return parsed.problem
}

const fingerprint = (body: object) => fingerprintOf('/v1/chat/completions', effective(body))
const declared = (fn: object, more: object = {}) => ({ ...base, tools: [{ type: 'function', function: fn, ...more }] })
const nested = (depth: number): object =>
  depth === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(depth - 1) } }

describe('tools', () => {
  it('are kept as they were declared, choice and single calls too', () => {
    const choice = { type: 'function', function: { name: 'moon' } }
    expect(effective({ ...withTools, tool_choice: choice, parallel_tool_calls: false })).toMatchObject({
      tools: [tide, moon],
      tool_choice: choice,
      parallel_tool_calls: false,
    })
    for (const tool_choice of ['none', 'required']) expect(effective({ ...withTools, tool_choice }).tool_choice).toBe(tool_choice)
  })

  it.each([
    ['a choice of auto', { ...withTools, tool_choice: 'auto' }],
    ['parallel calls', { ...withTools, parallel_tool_calls: true }],
    [
      'options that are null',
      {
        ...withTools,
        tools: [tide, { type: 'function', function: { ...moon.function, description: null, parameters: null, strict: null } }],
      },
    ],
  ])('are the same request with %s', (_what, body) => {
    expect(fingerprint(body)).toBe(fingerprint(withTools))
  })

  it.each([
    ['another description', { ...withTools, tools: [{ ...tide, function: { ...tide.function, description: '' } }, moon] }],
    ['another order', { ...withTools, tools: [moon, tide] }],
    ['no choice at all', { ...withTools, tool_choice: 'none' }],
    ['single calls', { ...withTools, parallel_tool_calls: false }],
  ])('are another request with %s', (_what, body) => {
    expect(fingerprint(body)).not.toBe(fingerprint(withTools))
  })

  it.each([
    ['a tool without a type', { ...base, tools: [{ function: { name: 'f' } }] }, 'tools[0].type'],
    ['a function without its declaration', { ...base, tools: [{ type: 'function' }] }, 'tools[0].function'],
    ['a function without a name', declared({}), 'tools[0].function.name'],
    ['a choice without a type', { ...withTools, tool_choice: {} }, 'tool_choice.type'],
    ['a choice without a name', { ...withTools, tool_choice: { type: 'function', function: {} } }, 'tool_choice.function.name'],
    ['a format without a type', { ...base, response_format: {} }, 'response_format.type'],
    ['a format without a name', format({ schema }), 'response_format.json_schema.name'],
    ['a format without its schema', { ...base, response_format: { type: 'json_schema' } }, 'response_format.json_schema'],
  ])('are incomplete as %s', (_what, body, param) => {
    expect(problemOf(body)).toMatchObject({ kind: 'incomplete', param })
  })

  it.each([
    ['a name that is empty', declared({ name: '' }), 'tools[0].function.name'],
    ['a name with a space', declared({ name: 'two words' }), 'tools[0].function.name'],
    ['a name of 65 characters', declared({ name: 'x'.repeat(65) }), 'tools[0].function.name'],
    ['a name that begins with a digit', declared({ name: '1st' }), 'tools[0].function.name'],
    ['the name of another', { ...base, tools: [tide, tide] }, 'tools[1].function.name'],
    ['a description that is no text', declared({ name: 'f', description: 5 }), 'tools[0].function.description'],
    ['parameters that are a list', declared({ name: 'f', parameters: [] }), 'tools[0].function.parameters'],
    ['parameters of another type', declared({ name: 'f', parameters: { type: 'string' } }), 'tools[0].function.parameters'],
    [
      '513 of them',
      { ...base, tools: Array.from({ length: 513 }, (_, n) => ({ type: 'function', function: { name: `f${n}` } })) },
      'tools',
    ],
    [
      'a choice of a stranger',
      { ...withTools, tool_choice: { type: 'function', function: { name: 'sun' } } },
      'tool_choice.function.name',
    ],
    ['a choice of some word', { ...withTools, tool_choice: 'any' }, 'tool_choice'],
    ['a required choice of nothing', { ...base, tool_choice: 'required' }, 'tool_choice'],
    [
      'a schema larger than a mebibyte',
      declared({ name: 'f', parameters: { type: 'object', description: 'x'.repeat(2 ** 20) } }),
      'tools[0].function.parameters',
    ],
    [
      'descriptions larger than a mebibyte',
      declared({ name: 'f', description: 'x'.repeat(2 ** 20) }),
      'tools[0].function.parameters',
    ],
    ['a format with a name of nobody', format({ name: 'a b' }), 'response_format.json_schema.name'],
    ['a format of another kind', { ...base, response_format: { type: 'xml' } }, 'response_format.type'],
    ['a format with a list for a schema', format({ name: 'x', schema: [] }), 'response_format.json_schema.schema'],
  ])('are refused for %s', (_what, body, param) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it.each([
    ['custom tools', { ...base, tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'tools[0].type'],
    ['allowed_tools', { ...withTools, tool_choice: { type: 'allowed_tools', allowed_tools: {} } }, 'tool_choice.type'],
    ['a deep schema', declared({ name: 'f', parameters: nested(40) }), 'tools[0].function.parameters'],
    [
      'a large schema',
      declared({
        name: 'f',
        parameters: { type: 'object', properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`p${n}`, {}])) },
      }),
      'tools[0].function.parameters',
    ],
    [
      'a JSON format on 2.5',
      { ...withTools, model: 'gm-2.5-flash', response_format: { type: 'json_object' } },
      'response_format',
    ],
    ['no reasoning on 2.5 pro', { ...base, model: 'gm-2.5-pro', reasoning_effort: 'none' }, 'reasoning_effort'],
  ])('name what is not supported: %s', (_what, body, param) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'unsupported_value', param })
  })

  it('share one budget with the schema of the answer', () => {
    const parameters = { type: 'object', description: 'x'.repeat(600_000) }
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: parameters } }
    expect(effective(declared({ name: 'f', parameters })).tools).toHaveLength(1)
    expect(problemOf({ ...declared({ name: 'f', parameters }), response_format })).toMatchObject({
      param: 'response_format.json_schema.schema',
    })
  })
})

describe('a response format', () => {
  it('of JSON is kept, of text is the default', () => {
    const json_schema = { name: 'answer', description: 'd', strict: true, schema }
    expect(effective(format(json_schema)).response_format).toEqual({ type: 'json_schema', json_schema })
    expect(effective(format({ name: 'answer', schema: null, strict: null })).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer' },
    })
    expect(effective({ ...base, response_format: { type: 'json_object' } }).response_format).toEqual({ type: 'json_object' })
    expect(effective({ ...base, response_format: { type: 'text' } })).not.toHaveProperty('response_format')
  })

  it('goes along with tools on the models that take both', () => {
    expect(effective({ ...withTools, response_format: { type: 'json_object' } })).toMatchObject({ tools: [tide, moon] })
    expect(effective({ ...base, model: 'gm-2.5-flash', response_format: { type: 'json_object' } }).tools).toBeUndefined()
  })
})
