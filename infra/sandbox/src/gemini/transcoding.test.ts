import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { post, refusal } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const user = (...parts: unknown[]) => ({ role: 'user', parts })
const hi = [user({ text: 'hi' })]
const config = (generationConfig: object) => ({ contents: hi, generationConfig })

describe('the JSON transcoding refuses with one field violation each', () => {
  it('unknown names, with the path in snake case, and all of them at once', async () => {
    const error = await refusal(sandbox, {
      contents: [user({ text: 'hi', colour: 1 })],
      cache_control: {},
      tools: [
        {
          functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', const: 1 } } } }],
        },
      ],
    })
    expect(error.status).toBe('INVALID_ARGUMENT')
    expect(error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [
          {
            field: 'contents[0].parts[0]',
            description: `Invalid JSON payload received. Unknown name "colour" at 'contents[0].parts[0]': Cannot find field.`,
          },
          { description: 'Invalid JSON payload received. Unknown name "cache_control": Cannot find field.' },
          {
            field: 'tools[0].function_declarations[0].parameters.properties[0].value',
            description: `Invalid JSON payload received. Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value': Cannot find field.`,
          },
        ],
      },
    ])
  })

  it.each<[string, object, string]>([
    [
      'a string for a float',
      config({ temperature: 'hot' }),
      `Invalid value at 'generation_config.temperature' (TYPE_FLOAT), "hot"`,
    ],
    [
      'a fraction for an integer',
      config({ maxOutputTokens: 1.5 }),
      `Invalid value at 'generation_config.max_output_tokens' (TYPE_INT32), 1.5`,
    ],
    ['a seed beyond int32', config({ seed: 2 ** 31 }), `Invalid value at 'generation_config.seed' (TYPE_INT32), 2147483648`],
    ['a number for text', { contents: [user({ text: 5 })] }, `Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5`],
    [
      'an unknown enum value',
      config({ thinkingConfig: { thinkingLevel: 'EXTREME' } }),
      `ThinkingConfig.ThinkingLevel), "EXTREME"`,
    ],
    [
      'a list for a single field',
      config({ responseSchema: { type: ['STRING', 'NULL'] } }),
      'Proto field is not repeating, cannot start list.',
    ],
    ['a string for a message', { contents: hi, systemInstruction: 'be kind' }, `Invalid value at 'system_instruction'`],
    [
      'broken base64',
      { contents: [user({ inlineData: { mimeType: 'image/png', data: '***' } })] },
      '(TYPE_BYTES), Base64 decoding failed',
    ],
    [
      'two kinds of data in one part',
      { contents: [user({ text: 'a', inlineData: { data: '' } })] },
      "oneof field 'data' is already set",
    ],
    ['a list for args', { contents: [user({ functionCall: { name: 'f', args: [] } })] }, 'cannot start list'],
  ])('%s', async (_title, body, message) => {
    const error = await refusal(sandbox, body)
    expect(error.message).toContain(message)
    expect(error.details?.[0]?.fieldViolations).toHaveLength(1)
  })

  it('a body that is no JSON', async () => {
    const response = await post(sandbox, 'gemini-2.5-flash', '{"contents": [')
    expect(response.status).toBe(400)
    expect(response.body).toContain('Invalid JSON payload received.')
  })

  it('accepts what the mapping allows: snake case, numbers as strings, enums in lower case, null for absent', async () => {
    const response = await post(sandbox, 'gemini-2.5-flash', {
      contents: hi,
      system_instruction: null,
      generation_config: { max_output_tokens: '200', temperature: '0.5', response_modalities: ['text'] },
    })
    expect(response.status).toBe(200)
  })
})
