import { compile } from '../validator.ts'
import { ChatCompletionRequest, DEFAULT_MAX_TOKENS } from './chat-completions.ts'
import { CHAT_FIELDS } from './chat-fields.ts'
import { parseChatMessages } from './chat-messages.ts'
import { parseChatTools, parseResponseFormat, parseToolChoice } from './chat-tools.ts'
import type { ChatResponseFormat, ChatTool, EffectiveChatRequest } from './effective-chat-request.ts'
import { schemaBudget } from './json-schema-rules.ts'
import { incomplete, invalid, type Parsed, problemFromSchema, type RequestProblem } from './request-problem.ts'
import { MAX_DECLARATION_BYTES } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

type Refused = { ok: false; problem: RequestProblem }
type Request = ChatCompletionRequest & Record<string, unknown>

const validate = compile(ChatCompletionRequest)
const REQUIRED: readonly string[] = ['model', 'messages']
const REFUSED = Object.entries(CHAT_FIELDS).flatMap(([field, { does }]) => (does === 'refused' ? [field] : []))

/** Accepted with the value that asks for nothing; that value is left out, so that both are one effective request. */
const ASKS_FOR_NOTHING: Record<string, (value: unknown) => boolean> = {
  presence_penalty: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  logprobs: (value) => value === false,
  verbosity: (value) => value === 'medium',
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
}

/** Reads a parsed JSON body of POST /v1/chat/completions. Pure; linear in its size. */
export function parseChatCompletion(body: unknown): Parsed<EffectiveChatRequest> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validate(withoutNulls(body as Record<string, unknown>, REQUIRED))
  if (!checked.ok) return problemFromSchema(checked.problems)
  const request: Request = checked.value

  const unsupported = unsupportedField(request) ?? differentCeilings(request)
  if (unsupported !== undefined) return unsupported
  const messages = parseChatMessages(request.messages)
  if (!messages.ok) return messages
  const budget = { bytesLeft: MAX_DECLARATION_BYTES, schemas: schemaBudget() }
  const tools = parseChatTools(request.tools ?? [], budget)
  if (!tools.ok) return tools
  const choice = parseToolChoice(request.tool_choice, tools.value)
  if (!choice.ok) return choice
  const format = parseResponseFormat(request.response_format, budget)
  if (!format.ok) return format
  const impossible = beyondTheModel(request, tools.value, format.value)
  if (impossible !== undefined) return impossible

  const {
    max_completion_tokens,
    max_tokens,
    tools: _t,
    tool_choice: _c,
    parallel_tool_calls,
    response_format: _f,
    ...more
  } = request
  const { stop, n: _n, raw_output, ...rest } = more
  for (const field of Object.keys(ASKS_FOR_NOTHING)) delete rest[field]
  return {
    ok: true,
    value: {
      ...rest,
      model: request.model,
      messages: messages.value,
      max_tokens: max_completion_tokens ?? max_tokens ?? DEFAULT_MAX_TOKENS,
      stream: false,
      ...(stop === undefined ? {} : { stop: typeof stop === 'string' ? [stop] : stop }),
      ...(tools.value.length === 0 ? {} : { tools: tools.value }),
      ...(choice.value === undefined ? {} : { tool_choice: choice.value }),
      ...(parallel_tool_calls === false && tools.value.length > 0 ? { parallel_tool_calls } : {}),
      ...(format.value === undefined ? {} : { response_format: format.value }),
      ...(raw_output === true ? { raw_output } : {}),
    },
  }
}

function unsupportedField(request: Request): Refused | undefined {
  for (const field of REFUSED) {
    if (Object.hasOwn(request, field)) return invalid(field, `${field} is not supported.`, 'unsupported_field')
  }
  for (const [field, asksForNothing] of Object.entries(ASKS_FOR_NOTHING)) {
    if (Object.hasOwn(request, field) && !asksForNothing(request[field])) {
      return invalid(field, `${field} is not supported with this value.`, 'unsupported_value')
    }
  }
  return undefined
}

function differentCeilings({ max_tokens, max_completion_tokens }: Request): Refused | undefined {
  if (max_tokens === undefined || max_completion_tokens === undefined || max_tokens === max_completion_tokens) return undefined
  return invalid('max_completion_tokens', 'max_tokens and max_completion_tokens differ. Send one of them.')
}

/** What the one model cannot do, said before anybody pays. */
function beyondTheModel(request: Request, tools: ChatTool[], format: ChatResponseFormat | undefined): Refused | undefined {
  if (format !== undefined && tools.length > 0 && request.model.startsWith('gm-2.5-')) {
    return invalid('response_format', 'response_format with tools is not supported by the gm-2.5 models.', 'unsupported_value')
  }
  if (request.reasoning_effort === 'none' && request.model === 'gm-2.5-pro') {
    return invalid('reasoning_effort', 'gm-2.5-pro cannot do without reasoning: "minimal" is its least.', 'unsupported_value')
  }
  return undefined
}
