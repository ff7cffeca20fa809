import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { post, refusal } from './official-client.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const user = (...parts: unknown[]) => ({ role: 'user', parts })
const modelTurn = (...parts: unknown[]) => ({ role: 'model', parts })
const hi = [user({ text: 'hi' })]
const call = (name: string, extra: object = {}) => ({ functionCall: { name, args: {} }, ...extra })
const result = (name: string, response: object = { output: 'x' }) => ({ functionResponse: { name, response } })
const declare = (declaration: object) => ({ contents: hi, tools: [{ functionDeclarations: [{ name: 'f', ...declaration }] }] })
const config = (generationConfig: object) => ({ contents: hi, generationConfig })

describe('the proto validation and the model refuse', () => {
  it.each<[string, object, string]>([
    ['no contents', {}, 'contents is not specified'],
    ['empty contents', { contents: [] }, 'contents is not specified'],
    ['empty parts', { contents: [user()] }, 'contents.parts must not be empty'],
    [
      'a part without data',
      { contents: [user({ thought: false })] },
      "required oneof field 'data' must have one initialized field",
    ],
    ['an empty text', { contents: [user({ text: '' })] }, "required oneof field 'data' must have one initialized field"],
    ['another role', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, 'Please use a valid role: user, model.'],
    ['a single model turn', { contents: [modelTurn({ text: 'x' })] }, 'single turn requests end with a user role'],
    ['a temperature above 2', config({ temperature: 2.1 }), 'temperature must be in the range [0, 2]'],
    ['a topP above 1', config({ topP: 1.1 }), 'top_p must be in the range [0, 1]'],
    ['six stop sequences', config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }), 'at most 5 stop sequences'],
    ['no output tokens', config({ maxOutputTokens: 0 }), 'max_output_tokens must be positive'],
    ['65537 output tokens', config({ maxOutputTokens: 65_537 }), 'supported range is from 1 (inclusive) to 65537 (exclusive)'],
    ['two candidates', config({ candidateCount: 2 }), 'Multiple candidates is not enabled'],
    ['a penalty', config({ presencePenalty: 0.5 }), 'Penalty is not enabled'],
    ['logprobs', config({ responseLogprobs: true }), 'Logprobs is not enabled'],
    ['a schema without JSON', config({ responseJsonSchema: { type: 'object' } }), 'only allowed when response_mime_type'],
    [
      'both response schemas',
      config({ responseMimeType: 'application/json', responseSchema: { type: 'STRING' }, responseJsonSchema: {} }),
      'mutually exclusive',
    ],
    [
      'both kinds of parameters',
      declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } } }, parametersJsonSchema: {} }),
      'mutually exclusive',
    ],
    [
      'parameters without properties',
      declare({ parameters: { type: 'OBJECT', properties: {} } }),
      'should be non-empty for OBJECT type',
    ],
    [
      'an array without items',
      declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'ARRAY' } } } }),
      'items: missing field',
    ],
    [
      'a required name that is not defined',
      declare({ parameters: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['b'] } }),
      'property is not defined',
    ],
    [
      'a keyword that parametersJsonSchema lacks',
      declare({ parametersJsonSchema: { type: 'object', additionalProperties: false } }),
      'unsupported keyword: additionalProperties',
    ],
    [
      'a keyword that no JSON Schema field has',
      config({ responseMimeType: 'application/json', responseJsonSchema: { type: 'string', pattern: 'x' } }),
      'unsupported keyword: pattern',
    ],
    [
      'a keyword deep inside',
      declare({
        parametersJsonSchema: { type: 'object', properties: { a: { anyOf: [{ type: 'array', items: { const: 1 } }] } } },
      }),
      'unsupported keyword: const',
    ],
    ['a reference to nothing', declare({ parametersJsonSchema: { $ref: '#/$defs/x' } }), 'reference to undefined schema'],
    [
      'a reference with siblings',
      declare({ parametersJsonSchema: { $ref: '#/$defs/x', description: 'd', $defs: { x: { type: 'object' } } } }),
      'must not have siblings',
    ],
    [
      'a cycle of required properties',
      config({
        responseMimeType: 'application/json',
        responseJsonSchema: {
          $ref: '#/$defs/x',
          $defs: { x: { type: 'object', properties: { x: { $ref: '#/$defs/x' } }, required: ['x'] } },
        },
      }),
      'cyclic reference',
    ],
    ['a bad function name', declare({ name: '9 lives' }), 'Invalid function name'],
    [
      'a function declared twice',
      { contents: hi, tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'f' }] }] },
      'Duplicate function declaration',
    ],
    [
      'ANY without functions',
      { contents: hi, toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      'set without function_declarations',
    ],
    [
      'allowed names under AUTO',
      { ...declare({}), toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } },
      'should be set only when',
    ],
    [
      'an allowed name that is not declared',
      { ...declare({}), toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } } },
      'not among the function declarations',
    ],
    [
      'a call first',
      { contents: [modelTurn(call('f')), user(result('f'))] },
      'function call turn comes immediately after a user turn',
    ],
    [
      'a call without a response',
      { contents: [...hi, modelTurn(call('f')), user({ text: 'and?' })] },
      'number of function response parts is equal',
    ],
    [
      'fewer responses than calls',
      { contents: [...hi, modelTurn(call('f'), call('g')), user(result('f'))] },
      'number of function response parts is equal',
    ],
    ['a response to another function', { contents: [...hi, modelTurn(call('f')), user(result('g'))] }, 'no open call of "g"'],
    [
      'a response without a call',
      { contents: [user(result('f'))] },
      'function response turn comes immediately after a function call turn',
    ],
    [
      'a $ref inside a tool result',
      { contents: [...hi, modelTurn(call('f')), user(result('f', { schema: { $ref: '#/x' } }))] },
      'a $ref must name',
    ],
    [
      'a GIF',
      { contents: [user({ inlineData: { mimeType: 'image/gif', data: 'R0lGODlh' } })] },
      'Unsupported MIME type: image/gif',
    ],
    [
      'bytes that are not the image they claim',
      { contents: [user({ inlineData: { mimeType: 'image/png', data: 'R0lGODlh' } })] },
      'Unable to process input image',
    ],
    ['IMAGE from a text model', config({ responseModalities: ['TEXT', 'IMAGE'] }), 'response modalities'],
    ['AUDIO', config({ responseModalities: ['AUDIO'] }), 'response modalities'],
    [
      'both a budget and a level',
      config({ thinkingConfig: { thinkingBudget: 1_024, thinkingLevel: 'LOW' } }),
      'only set only one',
    ],
    ['a level on 2.5', config({ thinkingConfig: { thinkingLevel: 'LOW' } }), 'Thinking level is not supported'],
    [
      'too many input tokens',
      { contents: [user({ text: '7'.repeat(1_048_577) })] },
      'exceeds the maximum number of tokens allowed (1048576)',
    ],
  ])('%s', async (_title, body, message) => {
    const error = await refusal(sandbox, body)
    expect(error.code).toBe(400)
    expect(error.message).toContain(message)
  })

  it.each<[string, number, string | undefined]>([
    ['gemini-2.5-flash-lite', 0, undefined],
    ['gemini-2.5-flash-lite', 511, 'between 512 and 24576'],
    ['gemini-2.5-flash-lite', 512, undefined],
    ['gemini-2.5-flash', 0, undefined],
    ['gemini-2.5-flash', 24_576, undefined],
    ['gemini-2.5-flash', 24_577, 'between 0 and 24576'],
    ['gemini-2.5-pro', 0, 'only works in thinking mode'],
    ['gemini-2.5-pro', 127, 'between 128 and 32768'],
    ['gemini-2.5-pro', 32_768, undefined],
    ['gemini-2.5-pro', -1, undefined],
    ['gemini-3.5-flash', 0, 'only works in thinking mode'],
  ])('the thinking budget of %s: %i', async (model, thinkingBudget, message) => {
    const body = config({ thinkingConfig: { thinkingBudget } })
    if (message === undefined) expect((await post(sandbox, model, body)).status).toBe(200)
    else expect((await refusal(sandbox, body, model)).message).toContain(message)
  })

  it('a missing key is 403, cached content 403, another path an HTML 404', async () => {
    expect((await post(sandbox, 'gemini-2.5-flash', { contents: hi }, {})).status).toBe(403)
    expect((await refusal(sandbox, { contents: hi, cachedContent: 'cachedContents/x' })).status).toBe('PERMISSION_DENIED')
    const lost = await fetch(`${sandbox.geminiUrl}/v1beta/nowhere`, { method: 'POST' })
    expect(lost.status).toBe(404)
    expect(lost.headers.get('content-type')).toContain('text/html')
  })

  it('a schema nested without end, without falling over', async () => {
    const depth = 20_000
    const nested = `${'{"type":"array","items":'.repeat(depth)}{"type":"string"}${'}'.repeat(depth)}`
    const prefix =
      '{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"responseMimeType":"application/json",'
    for (const field of ['responseSchema', 'responseJsonSchema'])
      expect((await post(sandbox, 'gemini-2.5-flash', `${prefix}"${field}":${nested}}}`)).status).toBe(400)
  })
})

it('takes a tool result with images beside it, as several contents of a turn may have', async () => {
  const data = PNG.sync.write(new PNG({ width: 4, height: 4 })).toString('base64')
  const contents = [
    ...hi,
    modelTurn({ text: 'wait' }, call('f')),
    user(result('f'), { inlineData: { mimeType: 'image/png', data } }),
  ]
  const response = await post(sandbox, 'gemini-2.5-flash', { contents })
  expect(response.body).toContain('The tool f answered: x')
})
