import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { canonical } from '../canonical.ts'
import { parseChatCompletion } from './chat-completions-rules.ts'
import { parseMessages } from './messages-rules.ts'
import { promptOfChat, promptOfMessages } from './prompt-content.ts'
import { GIF, PNG_2x3 } from './testing/small-images.ts'

/** The same ones every time, and a second or two of them on a quiet machine. */
const ROUNDS = 1_000
const schema = {
  type: 'object',
  properties: { port: { type: ['string', 'null'] } },
  required: ['port'],
  $defs: { a: { enum: ['x'] } },
}

const CHAT = {
  model: 'gm-3.5-flash',
  max_tokens: 64,
  stream: false,
  temperature: 1,
  stop: ['END'],
  reasoning_effort: 'low',
  tool_choice: { type: 'function', function: { name: 'tide' } },
  parallel_tool_calls: false,
  tools: [{ type: 'function', function: { name: 'tide', description: 'd', parameters: schema, strict: true } }],
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
  messages: [
    { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG_2x3}`, detail: 'auto' } },
        { type: 'image_url', image_url: { url: 'https://example.test/a.png' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'tide', arguments: '{"port":"Brest"}' },
          extra_content: { google: { thought_signature: 'c2ln' } },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: '06:12' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
  ],
}

const MESSAGES = {
  model: 'gm-3.5-flash',
  max_tokens: 2_048,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  top_k: 4,
  stop_sequences: ['END'],
  thinking: { type: 'enabled', budget_tokens: 1_024 },
  tool_choice: { type: 'tool', name: 'tide', disable_parallel_tool_use: true },
  tools: [{ type: 'custom', name: 'tide', description: 'd', input_schema: schema }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'x', citations: null },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG_2x3 } },
        { type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'a', name: 'tide', input: { port: null }, thought_signature: 'c2ln' }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: [{ type: 'text', text: 'x' }] }],
    },
  ],
}

const VALUES: unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    1e9,
    1.5,
    '',
    'x',
    'auto',
    'none',
    'user',
    'assistant',
    'tool',
    'text',
    'image',
    'function',
    '\ud800',
  ],
  ...[
    '{}',
    '[]',
    '{"a":1e999}',
    'https://[',
    'data:image/png;base64,',
    `data:image/gif;base64,${GIF}`,
    '__proto__',
    'constructor',
  ],
  ...[[], {}, [null], [[]], { type: 'text' }, { type: 'object', $ref: '#' }, { role: 'user', content: 'x' }, { google: null }],
]

/** Numbers from 0 up to below `below`; the same sequence every time. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** One member or element somewhere in it replaced, removed, added, or put in another one's place. */
function mutate(value: unknown, roll: (below: number) => number): void {
  let node = value as Record<string, unknown>
  for (;;) {
    const keys = Object.keys(node)
    const key = keys[roll(keys.length)]
    if (key === undefined) return
    const inner = node[key]
    if (inner !== null && typeof inner === 'object' && roll(5) > 0) {
      node = inner as Record<string, unknown>
      continue
    }
    const action = roll(4)
    if (action === 0) delete node[key]
    else if (action === 1) node[keys[roll(keys.length)] ?? key] = inner
    else if (action === 2)
      node[['x', 'type', 'cache_control', 'content', 'name', 'id'][roll(6)] ?? 'x'] = VALUES[roll(VALUES.length)]
    else node[key] = structuredClone(VALUES[roll(VALUES.length)])
    return
  }
}

describe.each([
  ['chat completions', CHAT, parseChatCompletion, promptOfChat],
  ['messages', MESSAGES, parseMessages, promptOfMessages],
] as const)('a mangled request of %s', (_dialect, sample, parse, promptOf) => {
  it('is refused by name, or can be priced, and is its own effective request', () => {
    const roll = dice(20_261_121)
    const wrong: unknown[] = []
    const met = { accepted: 0, incomplete: 0, invalid: 0 }
    for (let round = 0; round < ROUNDS; round++) {
      const body = structuredClone(sample) as unknown
      for (let changes = roll(3); changes >= 0; changes--) mutate(body, roll)
      const parsed = parse(JSON.parse(JSON.stringify(body)))
      if (!parsed.ok) {
        met[parsed.problem.kind]++
        if (!/^[\w$.[\]]+$/.test(parsed.problem.param)) wrong.push(parsed.problem)
        continue
      }
      met.accepted++
      if (!isJson(parsed.value)) continue
      for (const value of promptOf(parsed.value as never).json) canonical(value)
      const again = parse(structuredClone(parsed.value))
      if (!isDeepStrictEqual(again, parsed)) wrong.push({ parsed, again })
    }
    expect(wrong).toEqual([])
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(ROUNDS / 50)
  })
})

/** The gateway refuses the others. */
function isJson(value: unknown): boolean {
  try {
    canonical(value)
    return true
  } catch {
    return false
  }
}
