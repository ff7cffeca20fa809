import type { CompletionPart, TextCompletion, TokenUsage } from '../../text/text-completion.ts'
import { finishOf } from './finish-reason.ts'
import type { GenerateContentResponse, ResponsePart } from './wire.ts'

export type ReadResponse =
  | { kind: 'completion'; completion: TextCompletion }
  /** The upstream did the work and there is nothing to show for it. */
  | { kind: 'unusable'; reason: 'no_content' | 'unusable_stop' }

/** What a whole, valid 200 says. Every branch of it was executed and billed upstream. */
export function readResponse(response: GenerateContentResponse): ReadResponse {
  const usage = readUsage(response.usageMetadata)
  const [candidate] = response.candidates ?? []
  const said = candidate?.content?.parts ?? []
  const parts = said.flatMap(readPart)
  const complete = (stop: TextCompletion['stop']): ReadResponse => ({
    kind: 'completion',
    completion: { parts, stop, usage, providerParts: said.map(rawPart) },
  })
  const blockReason = response.promptFeedback?.blockReason
  if (blockReason !== undefined && blockReason !== 'BLOCK_REASON_UNSPECIFIED') {
    return complete('filtered')
  }
  if (candidate === undefined) return { kind: 'unusable', reason: 'no_content' }
  const finish = finishOf(candidate.finishReason)
  if (finish === 'unusable') return { kind: 'unusable', reason: 'unusable_stop' }
  if (finish === 'finished') {
    if (parts.length === 0) return { kind: 'unusable', reason: 'no_content' }
    return complete(parts.some((part) => part.type === 'tool_call') ? 'tool_calls' : 'finished')
  }
  return complete(finish)
}

/** Thoughts are not output. Other kinds of part cannot come from the tools and formats that are asked for. */
function readPart(part: ResponsePart): CompletionPart[] {
  if (part.thought === true) return []
  if (part.functionCall !== undefined) {
    const { id, name, args } = part.functionCall
    return [
      {
        type: 'tool_call',
        ...(id === undefined || id === '' ? {} : { id }),
        name,
        arguments: args ?? {},
        ...(part.thoughtSignature === undefined ? {} : { signature: part.thoughtSignature }),
      },
    ]
  }
  return part.text === undefined || part.text === '' ? [] : [{ type: 'text', text: part.text }]
}

/** The members of a part that are known to name nobody; a member that the vendor invents tomorrow stays here. */
function rawPart({ text, thought, thoughtSignature, functionCall }: ResponsePart): Record<string, unknown> {
  return {
    ...(text === undefined ? {} : { text }),
    ...(thought === undefined ? {} : { thought }),
    ...(functionCall === undefined
      ? {}
      : {
          functionCall: {
            ...(functionCall.id === undefined ? {} : { id: functionCall.id }),
            name: functionCall.name,
            args: functionCall.args ?? {},
          },
        }),
    ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
  }
}

/** `candidatesTokenCount` leaves thoughts out, `promptTokenCount` has cached tokens in; any count may be absent. */
export function readUsage(usage: GenerateContentResponse['usageMetadata']): TokenUsage {
  const reasoningTokens = usage?.thoughtsTokenCount ?? 0
  return {
    inputTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
    cachedInputTokens: usage?.cachedContentTokenCount ?? 0,
    outputTokens: (usage?.candidatesTokenCount ?? 0) + reasoningTokens,
    reasoningTokens,
  }
}
