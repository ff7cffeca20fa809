import { compile } from '../validator.ts'
import { ChatCompletionRequest, DEFAULT_MAX_TOKENS } from './chat-completions.ts'
import type { ChatTextPart, EffectiveChatMessage, EffectiveChatRequest } from './effective-chat-request.ts'
import { incomplete, invalid, type Parsed, problemFromSchema } from './request-problem.ts'

type TextPart = ChatTextPart
type ChatRole = 'system' | 'developer' | 'user' | 'assistant'

const validate = compile(ChatCompletionRequest)

/** OpenAI fields that carry a meaning which is not honoured: never ignored, always named. */
const REFUSED_FIELDS = [
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'audio',
  'logit_bias',
  'prediction',
  'web_search_options',
  'reasoning_effort',
  'verbosity',
  'top_logprobs',
  'stream_options',
] as const

const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant']

/** Reads a parsed JSON body of POST /v1/chat/completions. Pure. */
export function parseChatCompletion(body: unknown): Parsed<EffectiveChatRequest> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validate(body)
  if (!checked.ok) return problemFromSchema(checked.problems)
  const request = checked.value as ChatCompletionRequest & Record<string, unknown>

  for (const field of REFUSED_FIELDS) {
    if (request[field] !== undefined && request[field] !== null)
      return invalid(field, `${field} is not supported.`, 'unsupported_field')
  }
  const unsupported = unsupportedValue(request)
  if (unsupported !== undefined) return unsupported

  const messages = parseMessages(request.messages)
  if (!messages.ok) return messages
  if (
    request.max_tokens !== undefined &&
    request.max_completion_tokens !== undefined &&
    request.max_tokens !== request.max_completion_tokens
  ) {
    return invalid('max_completion_tokens', 'max_tokens and max_completion_tokens differ. Send one of them.')
  }
  const { max_completion_tokens, tools: _tools, stop, n: _n, ...rest } = request
  return {
    ok: true,
    value: {
      ...withoutDefaults(withoutNulls(rest)),
      model: request.model,
      messages: messages.value,
      max_tokens: max_completion_tokens ?? request.max_tokens ?? DEFAULT_MAX_TOKENS,
      stream: false,
      ...(stop === undefined || stop === null ? {} : { stop: typeof stop === 'string' ? [stop] : stop }),
    },
  }
}

function unsupportedValue(request: Record<string, unknown>): ReturnType<typeof invalid> | undefined {
  if (Array.isArray(request.tools) && request.tools.length > 0)
    return invalid('tools', 'tools are not supported.', 'unsupported_field')
  const format = request.response_format
  if (format !== undefined && format !== null && (format as { type?: unknown }).type !== 'text') {
    return invalid('response_format', 'response_format other than {"type": "text"} is not supported.', 'unsupported_value')
  }
  for (const field of ['presence_penalty', 'frequency_penalty']) {
    const value = request[field]
    if (value !== undefined && value !== null && value !== 0)
      return invalid(field, `${field} other than 0 is not supported.`, 'unsupported_value')
  }
  for (const field of ['logprobs', 'raw_output']) {
    const value = request[field]
    if (value !== undefined && value !== null && value !== false)
      return invalid(field, `${field} other than false is not supported.`, 'unsupported_value')
  }
  const modalities = request.modalities
  if (
    modalities !== undefined &&
    modalities !== null &&
    !(Array.isArray(modalities) && modalities.length === 1 && modalities[0] === 'text')
  ) {
    return invalid('modalities', 'modalities other than ["text"] are not supported.', 'unsupported_value')
  }
  return undefined
}

function parseMessages(messages: ChatCompletionRequest['messages']): Parsed<EffectiveChatRequest['messages']> {
  const parsed: EffectiveChatRequest['messages'] = []
  let hasTurn = false
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    if (!ROLES.includes(message.role)) {
      return invalid(`${path}.role`, `${path}.role must be one of ${ROLES.map((role) => JSON.stringify(role)).join(', ')}.`)
    }
    const fields = message as Record<string, unknown>
    for (const field of ['tool_calls', 'tool_call_id', 'function_call', 'audio']) {
      if (fields[field] !== undefined && fields[field] !== null)
        return invalid(`${path}.${field}`, `${path}.${field} is not supported.`, 'unsupported_field')
    }
    const content = parseContent(message.content, `${path}.content`)
    if (!content.ok) return content
    hasTurn ||= message.role === 'user' || message.role === 'assistant'
    parsed.push({ ...withoutNulls(fields), role: message.role as ChatRole, content: content.value } as EffectiveChatMessage)
  }
  if (!hasTurn) return invalid('messages', 'messages must hold at least one user or assistant message.')
  return { ok: true, value: parsed }
}

function parseContent(content: ChatCompletionRequest['messages'][number]['content'], path: string): Parsed<string | TextPart[]> {
  if (content === null) return invalid(path, `${path} must be a string or an array of parts.`)
  if (typeof content === 'string') return { ok: true, value: content }
  if (content.length === 0) return invalid(path, `${path} must hold at least one part.`)
  const parts: TextPart[] = []
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`
    if (part.type === 'image_url') return invalid(at, `${at}: images are not supported.`, 'unsupported_value')
    // A refusal is the text that an assistant gave instead of an answer; it travels as text.
    const text = part.type === 'refusal' ? part.refusal : part.text
    const field = part.type === 'refusal' ? 'refusal' : 'text'
    if (text === undefined) return incomplete(`${at}.${field}`)
    if (typeof text !== 'string') return invalid(`${at}.${field}`, `${at}.${field} must be a string.`)
    const { refusal: _refusal, ...rest } = part
    parts.push({ ...withoutNulls(part.type === 'refusal' ? rest : part), type: 'text', text })
  }
  return { ok: true, value: parts }
}

/** What says the same as its absence is left out, so that both are one effective request. The values were checked before. */
function withoutDefaults(request: Record<string, unknown>): Record<string, unknown> {
  const { presence_penalty: _p, frequency_penalty: _f, logprobs: _l, raw_output: _r, modalities: _m, ...rest } = request
  const format = rest.response_format
  if (format !== null && typeof format === 'object' && Object.keys(format).length === 1) delete rest.response_format
  return rest
}

function withoutNulls<T extends Record<string, unknown>>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as T
}
