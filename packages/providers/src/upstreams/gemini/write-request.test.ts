import { describe, expect, it } from 'vitest'
import type { TextRequest } from '../../text/text-request.ts'
import { writeRequest } from './write-request.ts'

const PLAIN: TextRequest = {
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'When is high tide?' }] }],
  tools: [],
  toolChoice: { mode: 'auto' },
  onlyFirstCall: false,
  output: { format: 'text' },
  maxOutputTokens: 512,
  sampling: {},
  stopSequences: [],
  thinking: { kind: 'minimum' },
}

describe('a request on the wire', () => {
  it('carries exactly what was asked for and the ceiling as it is', () => {
    expect(writeRequest('gemini-2.5-flash', PLAIN)).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'When is high tide?' }] }],
      generationConfig: { maxOutputTokens: 512, thinkingConfig: { thinkingBudget: 0 } },
    })
  })

  it('keeps zero where zero means something', () => {
    const { generationConfig } = writeRequest('gemini-3.5-flash', {
      ...PLAIN,
      sampling: { temperature: 0, topP: 0, topK: 1, seed: 0 },
      stopSequences: ['\n\n'],
    })
    expect(generationConfig).toEqual({
      maxOutputTokens: 512,
      temperature: 0,
      topP: 0,
      topK: 1,
      seed: 0,
      stopSequences: ['\n\n'],
      thinkingConfig: { thinkingLevel: 'MINIMAL' },
    })
  })

  it('gives every system text a part of its own', () => {
    expect(writeRequest('gemini-2.5-flash', { ...PLAIN, system: ['Be brief.', 'Be kind.'] }).systemInstruction).toEqual({
      role: 'user',
      parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }],
    })
  })

  it('writes images, calls and results in order', () => {
    const { contents } = writeRequest('gemini-2.5-flash', {
      ...PLAIN,
      turns: [
        { role: 'user', parts: [{ type: 'image', mimeType: 'image/png', base64: 'aGk=' }] },
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'a', name: 'tide', arguments: { port: 'Brest' }, signature: 'c2ln' }],
        },
        {
          role: 'user',
          parts: [
            {
              type: 'tool_result',
              callId: 'a',
              name: 'tide',
              text: '06:12',
              isError: false,
              images: [{ type: 'image', mimeType: 'image/webp', base64: 'eW8=' }],
            },
            { type: 'tool_result', callId: 'b', name: 'moon', text: 'no moon', isError: true, images: [] },
          ],
        },
      ],
    })
    expect(contents).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
      {
        role: 'model',
        parts: [{ functionCall: { id: 'a', name: 'tide', args: { port: 'Brest' } }, thoughtSignature: 'c2ln' }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'tide', response: { output: '06:12' } } },
          { inlineData: { mimeType: 'image/webp', data: 'eW8=' } },
          { functionResponse: { id: 'b', name: 'moon', response: { error: 'no moon' } } },
        ],
      },
    ])
  })

  it('stands in for a lost signature on the first call of a step only, and only where one is needed', () => {
    const turns: TextRequest['turns'] = [
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'Both.' },
          { type: 'tool_call', id: 'a', name: 'tide', arguments: {} },
          { type: 'tool_call', id: 'b', name: 'moon', arguments: {} },
        ],
      },
    ]
    const signatures = (model: string) =>
      writeRequest(model, { ...PLAIN, turns }).contents[0]?.parts.map((part) => part.thoughtSignature)
    expect(signatures('gemini-3.5-flash')).toEqual([undefined, 'skip_thought_signature_validator', undefined])
    expect(signatures('gemini-2.5-flash')).toEqual([undefined, undefined, undefined])
  })

  it.each<[TextRequest['toolChoice'], object]>([
    [{ mode: 'auto' }, { mode: 'AUTO' }],
    [{ mode: 'none' }, { mode: 'NONE' }],
    [{ mode: 'required' }, { mode: 'ANY' }],
    [
      { mode: 'named', name: 'tide' },
      { mode: 'ANY', allowedFunctionNames: ['tide'] },
    ],
  ])('writes the tool choice %j', (toolChoice, expected) => {
    const written = writeRequest('gemini-2.5-flash', { ...PLAIN, tools: [{ name: 'tide' }], toolChoice })
    expect(written.toolConfig?.functionCallingConfig).toEqual(expected)
    expect(written.tools).toEqual([
      { functionDeclarations: [{ name: 'tide', parametersJsonSchema: { type: 'object', properties: {} } }] },
    ])
  })

  it('asks for JSON, with a schema where there is one', () => {
    const configOf = (output: TextRequest['output']) => writeRequest('gemini-2.5-flash', { ...PLAIN, output }).generationConfig
    expect(configOf({ format: 'json' })).toMatchObject({ responseMimeType: 'application/json' })
    expect(configOf({ format: 'json_schema', schema: { $schema: 'x', type: 'object', minItems: 1 } })).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', minItems: 1 },
    })
  })
})
