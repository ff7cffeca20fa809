import { KINDS, pieceOf } from './hostile-texts.ts'
import type { Random } from './random.ts'

export type RequestBody = { endpoint: '/v1/chat/completions' | '/v1/messages'; body: Record<string, unknown> }

const PNG_1280_720 = png(1_280, 720)

/** Requests that hold everything that is counted, in many shapes. */
export function requestBodies(random: Random): RequestBody[] {
  return Array.from({ length: 150 }, (_, round) => (round % 2 === 0 ? chat(random) : messages(random)))
}

function chat(random: Random): RequestBody {
  const call = (id: string) => ({
    id,
    type: 'function',
    function: {
      name: 'look_up',
      arguments: random.below(4) === 0 ? random.pick<string>(['', ' \n', '\ufeff\u00a0']) : JSON.stringify(value(random)),
    },
    ...(random.below(2) === 0 ? {} : { extra_content: { google: { thought_signature: random.text(40, 'ABCdef012+/') } } }),
  })
  const body = {
    model: 'gm-3.5-flash',
    max_tokens: 64,
    messages: [
      {
        role: random.pick(['system', 'developer']),
        content: random.below(2) === 0 ? text(random) : [part(random), part(random)],
      },
      { role: 'user', name: 'ada', content: [part(random), ...imagesOfChat(random)] },
      {
        role: 'assistant',
        content: random.pick([null, text(random), [{ type: 'refusal', refusal: text(random) }]]),
        tool_calls: [call('a'), call('b')],
      },
      { role: 'tool', tool_call_id: 'a', content: text(random) },
      { role: 'tool', tool_call_id: 'b', content: [part(random)] },
      { role: 'user', content: text(random) },
    ],
    tools: [
      { type: 'function', function: { name: 'look_up', description: text(random), parameters: schema(random) } },
      { type: 'function', function: { name: 'no_parameters' } },
      { type: 'function', function: { name: 'nulls', description: null, parameters: null, strict: null } },
    ],
    ...(random.below(2) === 0
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'answer', strict: true, description: random.pick([null, text(random)]), schema: schema(random) },
          },
        }),
  }
  return { endpoint: '/v1/chat/completions', body }
}

function messages(random: Random): RequestBody {
  const toolUse = (id: string) => ({
    type: 'tool_use',
    id,
    name: 'look_up',
    input: value(random),
    ...(random.below(2) === 0 ? {} : { thought_signature: random.text(40, 'ABCdef012+/') }),
  })
  const body = {
    model: 'gm-2.5-flash',
    max_tokens: 64,
    ...(random.below(3) === 0 ? {} : { system: random.pick([null, '', [], text(random), [part(random)]]) }),
    messages: [
      { role: 'user', content: random.below(2) === 0 ? text(random) : [part(random), ...imageBlocks(random)] },
      { role: 'assistant', content: [part(random), toolUse('a'), toolUse('b')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', is_error: true, content: [part(random), ...imageBlocks(random)] },
          {
            type: 'tool_result',
            tool_use_id: 'b',
            ...(random.below(2) === 0 ? {} : { content: random.pick([null, [], text(random)]) }),
          },
          part(random),
        ],
      },
    ],
    tools: [
      {
        name: 'look_up',
        ...(random.below(2) === 0 ? {} : { description: random.pick([null, text(random)]) }),
        input_schema: schema(random),
      },
    ],
  }
  return { endpoint: '/v1/messages', body }
}

function text(random: Random): string {
  return `x${Array.from({ length: 1 + random.below(6) }, () => pieceOf(random.pick(KINDS), random)).join('')}`.toWellFormed()
}

function part(random: Random): { type: 'text'; text: string } {
  return { type: 'text', text: text(random) }
}

function imagesOfChat(random: Random): object[] {
  const urls = [
    'https://example.com/fox.png',
    `data:image/png;base64,${PNG_1280_720}`,
    `DATA:image/png;base64,${png(40, 3_000)}`,
    `data:image/jpg;base64,${jpeg(1 + random.below(5_000), 1 + random.below(5_000))}`,
    `data:image/webp;base64,${webpCanvas(1 + random.below(5_000), 1 + random.below(5_000))}`,
  ]
  return urls.slice(0, random.below(6)).map((url) => ({ type: 'image_url', image_url: { url } }))
}

function imageBlocks(random: Random): object[] {
  const sources = [
    { type: 'base64', media_type: 'image/png', data: PNG_1280_720 },
    { type: 'url', url: 'https://example.com/fox.png' },
  ]
  return sources.slice(0, random.below(3)).map((source) => ({ type: 'image', source }))
}

function schema(random: Random): object {
  return {
    type: 'object',
    properties: {
      city: { type: 'string', description: text(random) },
      days: { type: 'integer', minimum: 0, maximum: random.below(1e6) },
    },
    required: ['city'],
  }
}

/** Names out of order and numbers that are written in many ways. */
function value(random: Random): object {
  const numbers = [0, -0, 1e21, 1e-7, 123456789012, 0.1, 1e20, 5e-324, -1.5e300, 333333333.3333333, 1e-6, 100]
  return {
    zebra: text(random),
    a: [true, null, random.pick(numbers), random.below(1e9) / 7],
    nothing: null,
    '€': 1,
    '\ud83d\ude00': { 'a b': '\u0007"\\/' },
    '\ufb33': '',
  }
}

/** The header of a PNG, which is all that is read of it. */
function png(width: number, height: number): string {
  const bytes = Buffer.alloc(48)
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes)
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes.toString('base64')
}

/** A thumbnail of another size in front, and the header of the frame. */
function jpeg(width: number, height: number): string {
  const bytes = Buffer.from('ffd8ffe1000bffc000110800010001ffffc2001108000000000301', 'hex')
  bytes.writeUInt16BE(height, 21)
  bytes.writeUInt16BE(width, 23)
  return bytes.toString('base64')
}

function webpCanvas(width: number, height: number): string {
  const bytes = Buffer.alloc(30)
  bytes.write('RIFF', 0, 'latin1')
  bytes.write('WEBPVP8X', 8, 'latin1')
  bytes.writeUIntLE(width - 1, 24, 3)
  bytes.writeUIntLE(height - 1, 27, 3)
  return bytes.toString('base64')
}
