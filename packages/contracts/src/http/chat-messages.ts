import type { RawChatMessage } from './chat-completions.ts'
import { parseChatContent } from './chat-message-parts.ts'
import { parseToolCalls } from './chat-tool-calls.ts'
import type { EffectiveChatMessage } from './effective-chat-request.ts'
import { imageBudget } from './image-source.ts'
import { invalid, type Parsed, type RequestProblem } from './request-problem.ts'
import { ARGUMENT_LIMITS } from './tool-arguments.ts'
import { withoutNulls } from './without-nulls.ts'

type Refused = { ok: false; problem: RequestProblem }
/** The calls that wait for their results, and the message that made them. */
type OpenStep = { ids: Set<string>; path: string }

const REFUSED_FIELDS = ['function_call', 'audio', 'refusal'] as const

/** The conversation: every message, and that each call is answered once, by the messages right after it. */
export function parseChatMessages(messages: RawChatMessage[]): Parsed<EffectiveChatMessage[]> {
  const budgets = { images: imageBudget(), values: { valuesLeft: ARGUMENT_LIMITS.maxValues } }
  const parsed: EffectiveChatMessage[] = []
  let open: OpenStep | undefined
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    const read = parseMessage(message, path, budgets)
    if (!read.ok) return read
    const step = nextStep(open, read.value, path)
    if (!step.ok) return step
    open = step.value
    parsed.push(read.value)
  }
  if (open !== undefined) return unanswered(open)
  if (!parsed.some(({ role, content }) => role !== 'system' && role !== 'developer' && saysSomething(content))) {
    return invalid('messages', 'messages must hold at least one user or assistant message that is not empty.')
  }
  return { ok: true, value: parsed }
}

type Budgets = { images: ReturnType<typeof imageBudget>; values: { valuesLeft: number } }

function parseMessage(message: RawChatMessage, path: string, budgets: Budgets): Parsed<EffectiveChatMessage> {
  const { role } = message
  const only = [
    ['tool_calls', 'assistant'],
    ['tool_call_id', 'tool'],
  ] as const
  for (const [field, owner] of only) {
    const value = message[field]
    const isAbsent = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    if (!isAbsent && role !== owner)
      return invalid(`${path}.${field}`, `${path}.${field} belongs to ${owner} messages.`, 'unsupported_field')
  }
  for (const field of REFUSED_FIELDS) {
    const value = message[field]
    if (value !== undefined && value !== null)
      return invalid(`${path}.${field}`, `${path}.${field} is not supported.`, 'unsupported_field')
  }
  const { tool_calls, tool_call_id, ...rest } = message
  const extra = withoutNulls(rest)
  const calls = tool_calls ?? []
  const said = message.content ?? null
  if (said === null) {
    if (calls.length === 0) return invalid(`${path}.content`, `${path}.content must be a string or an array of parts.`)
  }
  const content =
    said === null ? { ok: true as const, value: null } : parseChatContent(role, said, `${path}.content`, budgets.images)
  if (!content.ok) return content
  const parsedCalls = parseToolCalls(calls, `${path}.tool_calls`, budgets.values)
  if (!parsedCalls.ok) return parsedCalls
  return {
    ok: true,
    value: {
      ...extra,
      role,
      content: content.value,
      ...(role === 'tool' ? { tool_call_id } : {}),
      ...(calls.length === 0 ? {} : { tool_calls: parsedCalls.value }),
    } as EffectiveChatMessage,
  }
}

function nextStep(open: OpenStep | undefined, message: EffectiveChatMessage, path: string): Parsed<OpenStep | undefined> {
  switch (message.role) {
    case 'tool': {
      const at = `${path}.tool_call_id`
      // Asked for and struck out: a second result for one call names none that waits.
      if (open === undefined || !open.ids.delete(message.tool_call_id)) {
        return invalid(at, `${at} names no call of the assistant message before that waits for its result.`)
      }
      return { ok: true, value: open.ids.size === 0 ? undefined : open }
    }
    case 'system':
    case 'developer':
      return { ok: true, value: open } // they are instructions, wherever they stand
    case 'user':
      return open === undefined ? { ok: true, value: undefined } : unanswered(open)
    case 'assistant': {
      if (open !== undefined) return unanswered(open)
      const calls = message.tool_calls ?? []
      const ids = new Set(calls.map(({ id }) => id))
      return { ok: true, value: calls.length === 0 ? undefined : { ids, path: `${path}.tool_calls` } }
    }
  }
}

function unanswered({ path }: OpenStep): Refused {
  return invalid(path, `${path}: each call must be answered by one tool message before anybody else speaks.`)
}

function saysSomething(content: EffectiveChatMessage['content']): boolean {
  if (content === null) return true // beside tool calls
  return typeof content === 'string' ? content !== '' : content.some((part) => part.type !== 'text' || part.text !== '')
}
