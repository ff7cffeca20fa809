import { describe, expect, it } from 'vitest'
import { writeChatCompletion } from '../../dialects/openai-chat/write-response.ts'
import { classify } from './classify.ts'
import { type Finish, finishOf } from './finish-reason.ts'
import type { ResponsePart } from './wire.ts'

const TEXT: ResponsePart[] = [{ text: 'Some text.' }]
const CALL: ResponsePart[] = [{ functionCall: { name: 'tide', args: {} } }]

/** The finish_reason that a client sees, or the error code. */
function seenByClient(finishReason: string | undefined, parts: ResponsePart[]): unknown {
  const body = Buffer.from(JSON.stringify({ candidates: [{ content: { parts }, finishReason }] }))
  const outcome = classify({ kind: 'response', status: 200, headers: {}, body, end: 'whole' }, 0)
  if (outcome.kind !== 'succeeded') return outcome.code
  const completion = writeChatCompletion(outcome.value, { createdS: 1, model: 'gm-2.5-flash', newId: () => '1' })
  return (completion.choices as { finish_reason: string }[])[0]?.finish_reason
}

describe('every finish reason of the wire', () => {
  const unusable = 'provider_unusable_answer'
  it.each<[string | undefined, ResponsePart[], string]>([
    ['STOP', CALL, 'tool_calls'],
    ['STOP', TEXT, 'stop'],
    ['FINISH_REASON_UNSPECIFIED', TEXT, 'stop'],
    [undefined, TEXT, 'stop'],
    ['MAX_TOKENS', TEXT, 'length'],
    ['MAX_TOKENS', [], 'length'],
    ['MAX_TOKENS', [{ text: 'Let me see', thought: true }], 'length'],
    ['SAFETY', TEXT, 'content_filter'],
    ['SAFETY', [], 'content_filter'],
    ['RECITATION', TEXT, 'content_filter'],
    ['BLOCKLIST', [], 'content_filter'],
    ['PROHIBITED_CONTENT', [], 'content_filter'],
    ['SPII', [], 'content_filter'],
    ['LANGUAGE', [], 'content_filter'],
    ['IMAGE_SAFETY', [], 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', [], 'content_filter'],
    ['IMAGE_RECITATION', [], 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', [], unusable],
    ['UNEXPECTED_TOOL_CALL', CALL, unusable],
    ['TOO_MANY_TOOL_CALLS', CALL, unusable],
    ['MALFORMED_RESPONSE', TEXT, unusable],
    ['MISSING_THOUGHT_SIGNATURE', TEXT, unusable],
    ['NO_IMAGE', TEXT, unusable],
    ['IMAGE_OTHER', TEXT, unusable],
    ['OTHER', TEXT, unusable],
    ['CONTINUATION', TEXT, unusable],
    ['A_REASON_OF_NEXT_YEAR', TEXT, unusable],
    ['STOP', [], unusable],
    ['STOP', [{ text: 'Let me see', thought: true }], unusable],
    [undefined, [], unusable],
  ])('%s with %j is %s', (reason, parts, expected) => expect(seenByClient(reason, parts)).toBe(expected))

  it('takes no word of the language for a reason', () => {
    expect(['constructor', '__proto__', 'toString'].map((word) => finishOf(word))).toEqual<Finish[]>([
      'unusable',
      'unusable',
      'unusable',
    ])
  })
})
