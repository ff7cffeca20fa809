import { MAX_SIGNATURE_LENGTH, type RawToolCall } from './chat-completions.ts'
import type { ChatToolCall } from './effective-chat-request.ts'
import { invalid, type Parsed } from './request-problem.ts'
import { ARGUMENT_LIMITS, parseArguments, type ValueBudget } from './tool-arguments.ts'
import { nameProblem } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

export const MAX_CHAT_TOOL_NAME_LENGTH = 64

/** The calls of one assistant message, each with an id of its own. `values` bounds the arguments of the whole request. */
export function parseToolCalls(calls: RawToolCall[], path: string, values: ValueBudget): Parsed<ChatToolCall[]> {
  const parsed: ChatToolCall[] = []
  const ids = new Set<string>()
  for (const [index, call] of calls.entries()) {
    const at = `${path}[${index}]`
    if (call.type !== 'function') return invalid(`${at}.type`, `${at}.type must be "function".`, 'unsupported_value')
    if (ids.has(call.id)) return invalid(`${at}.id`, `${at}.id is the id of another call of this message.`)
    ids.add(call.id)
    const misnamed = nameProblem(call.function.name, `${at}.function.name`, MAX_CHAT_TOOL_NAME_LENGTH)
    if (misnamed !== undefined) return misnamed
    const input = parseArguments(call.function.arguments, values)
    const where = `${at}.function.arguments`
    if (input === 'not_an_object') return invalid(where, `${where} must be the JSON text of an object.`)
    if (input === 'too_complex') {
      return invalid(where, `${where} is nested deeper than ${ARGUMENT_LIMITS.maxDepth} levels, or holds too many values.`)
    }
    const signature = call.extra_content?.google?.thought_signature ?? ''
    const signed = `${at}.extra_content.google.thought_signature`
    if (!isSignature(signature)) return invalid(signed, `${signed} must be the Base64 that came with the call.`)
    const { extra_content: _extra, ...rest } = withoutNulls(call)
    parsed.push({
      ...rest,
      id: call.id,
      type: 'function',
      function: {
        ...withoutNulls(call.function),
        name: call.function.name,
        arguments: call.function.arguments.trim() === '' ? '{}' : call.function.arguments,
      },
      ...(signature === '' ? {} : { extra_content: { google: { thought_signature: signature } } }),
    })
  }
  return { ok: true, value: parsed }
}

/** In either alphabet; its content is the upstream's to judge. */
export function isSignature(text: string): boolean {
  return text.length <= MAX_SIGNATURE_LENGTH && !/[^A-Za-z0-9+/_=-]/.test(text)
}
