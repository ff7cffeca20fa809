import { describe, expect, it } from 'vitest'
import { fingerprintOf } from '../canonical.ts'
import { MESSAGES_FIELDS } from './messages-fields.ts'
import { parseMessages } from './messages-rules.ts'

const base = { model: 'gm-3.5-flash', max_tokens: 2_048, messages: [{ role: 'user', content: 'Hi' }] }
const tide = { name: 'tide', description: 'When it turns.', input_schema: { type: 'object', properties: { port: {} } } }
const withTools = { ...base, tools: [tide, { name: 'moon', input_schema: { type: 'object' } }] }
const declared = (more: object) => ({ ...base, tools: [{ ...tide, ...more }] })

type Row = [what: string, body: object, param: string, code: string]
const REFUSED = Object.entries(MESSAGES_FIELDS).flatMap(([field, { does }]) => (does === 'refused' ? [field] : []))

function problemOf(body: unknown) {
  const parsed = parseMessages(body)
  if (parsed.ok) throw new Error(`accepted: ${JSON.stringify(body)}`)
  return parsed.problem
}

function effective(body: unknown) {
  const parsed = parseMessages(body)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problem))
  return parsed.value
}

const fingerprint = (body: unknown) => fingerprintOf('/v1/messages', effective(body))

describe('an incomplete body', () => {
  it.each([
    ['null', null, 'body'],
    ['an array', [base], 'body'],
    ['no field', {}, 'model'],
    ['no model', { ...base, model: undefined }, 'model'],
    ['no messages', { ...base, messages: undefined }, 'messages'],
    ['no max_tokens', { model: base.model, messages: base.messages }, 'max_tokens'],
    ['a message without a role', { ...base, messages: [{ content: 'x' }] }, 'messages[0].role'],
    ['a message without content', { ...base, messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['a system block without text', { ...base, system: [{ type: 'text' }] }, 'system[0].text'],
    ['a system block without a type', { ...base, system: [{ text: 'x' }] }, 'system[0].type'],
    ['a tool without a name', { ...base, tools: [{ input_schema: {} }] }, 'tools[0].name'],
    ['a tool without a schema', { ...base, tools: [{ type: 'custom', name: 'f' }] }, 'tools[0].input_schema'],
    ['a choice without a type', { ...withTools, tool_choice: {} }, 'tool_choice.type'],
    ['a choice without a name', { ...withTools, tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    ['thinking without a type', { ...base, thinking: {} }, 'thinking.type'],
    ['thinking without a budget', { ...base, thinking: { type: 'enabled' } }, 'thinking.budget_tokens'],
  ])('is %s, whatever else is wrong', (_what, body, param) => {
    const whole =
      body === null || Array.isArray(body) ? body : JSON.parse(JSON.stringify({ ...body, stream: true, temperature: 9 }))
    expect(problemOf(whole)).toEqual({ kind: 'incomplete', param, message: `${param} is required.` })
  })
})

describe('an invalid body', () => {
  it.each([
    ['model null', { ...base, model: null }, 'model'],
    ['messages null', { ...base, messages: null }, 'messages'],
    ['messages empty', { ...base, messages: [] }, 'messages'],
    ['messages that say nothing', { ...base, messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, 'messages'],
    ['max_tokens null', { ...base, max_tokens: null }, 'max_tokens'],
    ['max_tokens 0', { ...base, max_tokens: 0 }, 'max_tokens'],
    ['max_tokens 65537', { ...base, max_tokens: 65_537 }, 'max_tokens'],
    ['max_tokens a string', { ...base, max_tokens: '64' }, 'max_tokens'],
    ['stream true', { ...base, stream: true }, 'stream'],
    ['a system role', { ...base, messages: [{ role: 'system', content: 'x' }] }, 'messages[0].role'],
    ['content null', { ...base, messages: [{ role: 'user', content: null }] }, 'messages[0].content'],
    ['content empty', { ...base, messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    ['system a number', { ...base, system: 5 }, 'system'],
    ['system an image', { ...base, system: [{ type: 'image', text: 'x' }] }, 'system[0].type'],
    ['temperature 1.1', { ...base, temperature: 1.1 }, 'temperature'],
    ['temperature below 0', { ...base, temperature: -0.1 }, 'temperature'],
    ['top_p 2', { ...base, top_p: 2 }, 'top_p'],
    ['top_k 0', { ...base, top_k: 0 }, 'top_k'],
    ['top_k 1.5', { ...base, top_k: 1.5 }, 'top_k'],
    ['six stops', { ...base, stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] }, 'stop_sequences'],
    ['an empty stop', { ...base, stop_sequences: [''] }, 'stop_sequences[0]'],
    ['stops as a string', { ...base, stop_sequences: 'a' }, 'stop_sequences'],
    ['thinking of another type', { ...base, thinking: { type: 'always' } }, 'thinking.type'],
    ['a budget of 1023', { ...base, thinking: { type: 'enabled', budget_tokens: 1_023 } }, 'thinking.budget_tokens'],
    ['a budget of all tokens', { ...base, thinking: { type: 'enabled', budget_tokens: 2_048 } }, 'thinking.budget_tokens'],
    ['raw_output 1', { ...base, raw_output: 1 }, 'raw_output'],
    ['tools no list', { ...base, tools: {} }, 'tools'],
    ['a tool with a name of nobody', declared({ name: 'a b' }), 'tools[0].name'],
    ['a tool with a name of 129 characters', declared({ name: 'x'.repeat(129) }), 'tools[0].name'],
    ['a tool of one name twice', { ...base, tools: [tide, tide] }, 'tools[1].name'],
    ['a schema of another type', declared({ input_schema: { type: 'array' } }), 'tools[0].input_schema'],
    ['a schema that is a list', declared({ input_schema: [] }), 'tools[0].input_schema'],
    ['a choice of another type', { ...withTools, tool_choice: { type: 'required' } }, 'tool_choice.type'],
    ['a choice as a string', { ...withTools, tool_choice: 'auto' }, 'tool_choice'],
    ['a choice of a stranger', { ...withTools, tool_choice: { type: 'tool', name: 'sun' } }, 'tool_choice.name'],
    ['a choice of any of none', { ...base, tool_choice: { type: 'any' } }, 'tool_choice'],
    [
      'parallel use "no"',
      { ...withTools, tool_choice: { type: 'auto', disable_parallel_tool_use: 'no' } },
      'tool_choice.disable_parallel_tool_use',
    ],
  ])('with %s is named', (_what, body, param) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code: 'invalid_value', param })
  })

  it.each<Row>([
    [
      'a server tool',
      { ...base, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'tools[0].type',
      'unsupported_value',
    ],
    ['a tool that is found later', declared({ defer_loading: true }), 'tools[0].defer_loading', 'unsupported_field'],
    ['a tool with examples', declared({ input_examples: [{}] }), 'tools[0].input_examples', 'unsupported_field'],
    [
      'a tool that code calls',
      declared({ allowed_callers: ['code_execution_20250825'] }),
      'tools[0].allowed_callers',
      'unsupported_field',
    ],
    [
      'shown thoughts',
      { ...base, thinking: { type: 'adaptive', display: 'summarized' } },
      'thinking.display',
      'unsupported_value',
    ],
    ['speed', { ...base, speed: 'fast' }, 'speed', 'unsupported_value'],
    ...REFUSED.map((field): Row => [field, { ...base, [field]: {} }, field, 'unsupported_field']),
  ])('that asks for %s says that it is not supported', (_what, body, param, code) => {
    expect(problemOf(body)).toMatchObject({ kind: 'invalid', code, param })
  })

  it('never repeats what the client wrote', () => {
    const secret = 'a-secret-of-the-client'
    for (const body of [
      { ...base, messages: [{ role: secret, content: 'x' }] },
      { ...base, messages: [{ role: 'user', content: [{ type: secret }] }] },
      { ...base, thinking: { type: secret } },
      { ...base, tools: [{ type: secret, name: secret }] },
      { ...withTools, tool_choice: { type: 'tool', name: secret } },
      declared({ name: `${secret} ` }),
      { ...base, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: secret }] }] },
    ]) {
      expect(JSON.stringify(problemOf(body))).not.toContain(secret)
    }
  })
})

describe('the effective request', () => {
  it('holds what was asked for and nothing more', () => {
    expect(effective(base)).toEqual({ ...base, stream: false })
    const full = {
      ...withTools,
      stream: false,
      system: [{ type: 'text', text: 'Be brief.' }],
      temperature: 1,
      top_p: 0.5,
      top_k: 40,
      stop_sequences: ['END'],
      tool_choice: { type: 'tool', name: 'moon', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 1_024 },
      metadata: { user_id: 'u' },
      raw_output: true,
    }
    expect(effective(full)).toEqual(full)
  })

  it('is its own effective request, and leaves the body as it was', () => {
    const body = {
      ...withTools,
      cache_control: { type: 'ephemeral' },
      system: '',
      thinking: { type: 'disabled' },
      x: { y: null },
    }
    const before = structuredClone(body)
    const once = effective(body)
    expect(body).toEqual(before)
    expect(effective(once)).toEqual(once)
  })

  const cached = { cache_control: { type: 'ephemeral' } }
  it.each([
    ['every option null', { ...Object.fromEntries(Object.keys(MESSAGES_FIELDS).map((field) => [field, null])), ...base }, base],
    ['no stream', { ...base, stream: false }, base],
    ['no tools', { ...base, tools: [], tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, base],
    ['no stops', { ...base, stop_sequences: [] }, base],
    ['no system', { ...base, system: [] }, base],
    ['no thinking', { ...base, thinking: { type: 'disabled' } }, base],
    ['standard speed', { ...base, speed: 'standard' }, base],
    ['no raw output', { ...base, raw_output: false }, base],
    ['a cache', { ...base, ...cached, messages: [{ role: 'user', content: 'Hi' }] }, base],
    [
      'a cached tool',
      declared({ ...cached, type: 'custom', strict: true, eager_input_streaming: true, defer_loading: false }),
      declared({}),
    ],
    [
      'a cached system',
      { ...base, system: [{ type: 'text', text: 'x', ...cached, citations: null }] },
      { ...base, system: [{ type: 'text', text: 'x' }] },
    ],
    ['the default choice', { ...withTools, tool_choice: { type: 'auto', disable_parallel_tool_use: false } }, withTools],
    [
      'hidden thoughts',
      { ...base, thinking: { type: 'adaptive', display: 'omitted' } },
      { ...base, thinking: { type: 'adaptive' } },
    ],
  ])('is the same with %s', (_what, body, same) => {
    expect(fingerprint(body)).toBe(fingerprint(same))
  })

  it.each([
    ['system', { ...withTools, system: 'x' }],
    ['ceiling', { ...withTools, max_tokens: 2_047 }],
    ['choice', { ...withTools, tool_choice: { type: 'any' } }],
    ['way of calling', { ...withTools, tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['thinking', { ...withTools, thinking: { type: 'adaptive' } }],
    ['unknown field', { ...withTools, something: 1 }],
    ['user', { ...withTools, metadata: { user_id: 'u' } }],
  ])('is another with another %s', (_what, body) => {
    expect(fingerprint(body)).not.toBe(fingerprint(withTools))
  })

  it('pollutes nothing', () => {
    effective(
      JSON.parse(
        '{"__proto__":{"polluted":1},"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x","__proto__":{"polluted":1}}]}',
      ),
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
