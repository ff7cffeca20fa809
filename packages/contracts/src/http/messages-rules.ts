import { compile } from '../validator.ts'
import type { EffectiveMessagesRequest, MessagesTextBlock } from './effective-messages-request.ts'
import { schemaBudget } from './json-schema-rules.ts'
import { MessagesRequest, type RawThinking } from './messages.ts'
import { parseText } from './messages-blocks.ts'
import { MESSAGES_FIELDS } from './messages-fields.ts'
import { parseMessagesToolChoice, parseMessagesTools } from './messages-tools.ts'
import { parseTurns } from './messages-turns.ts'
import { incomplete, invalid, type Parsed, problemFromSchema, type RequestProblem } from './request-problem.ts'
import { MAX_DECLARATION_BYTES } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

type Refused = { ok: false; problem: RequestProblem }
type Request = MessagesRequest & Record<string, unknown>

const validate = compile(MessagesRequest)
const REQUIRED: readonly string[] = ['model', 'messages', 'max_tokens']
const REFUSED = Object.entries(MESSAGES_FIELDS).flatMap(([field, { does }]) => (does === 'refused' ? [field] : []))

/** Reads a parsed JSON body of POST /v1/messages. Pure; linear in its size. */
export function parseMessages(body: unknown): Parsed<EffectiveMessagesRequest> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validate(withoutNulls(body as Record<string, unknown>, REQUIRED))
  if (!checked.ok) return problemFromSchema(checked.problems)
  const request: Request = checked.value

  const unsupported = unsupportedField(request)
  if (unsupported !== undefined) return unsupported
  const messages = parseTurns(request.messages)
  if (!messages.ok) return messages
  const tools = parseMessagesTools(request.tools ?? [], { bytesLeft: MAX_DECLARATION_BYTES, schemas: schemaBudget() })
  if (!tools.ok) return tools
  const choice = parseMessagesToolChoice(request.tool_choice, tools.value)
  if (!choice.ok) return choice
  const thinking = parseThinking(request.thinking, request.max_tokens)
  if (!thinking.ok) return thinking
  const system = parseSystem(request.system)

  const { cache_control: _cache, speed: _speed, tools: _t, tool_choice: _c, thinking: _th, system: _s, ...more } = request
  const { stop_sequences, raw_output, ...rest } = more
  return {
    ok: true,
    value: {
      ...rest,
      messages: messages.value,
      stream: false,
      ...(system === undefined ? {} : { system }),
      ...(stop_sequences === undefined || stop_sequences.length === 0 ? {} : { stop_sequences }),
      ...(tools.value.length === 0 ? {} : { tools: tools.value }),
      ...(choice.value === undefined ? {} : { tool_choice: choice.value }),
      ...(thinking.value === undefined ? {} : { thinking: thinking.value }),
      ...(raw_output === true ? { raw_output } : {}),
    },
  }
}

function unsupportedField(request: Request): Refused | undefined {
  for (const field of REFUSED) {
    if (Object.hasOwn(request, field)) return invalid(field, `${field} is not supported.`, 'unsupported_field')
  }
  if (request.speed === undefined || request.speed === 'standard') return undefined
  return invalid('speed', 'speed other than "standard" is not supported.', 'unsupported_value')
}

/** undefined is no system prompt: an empty one says the same. */
function parseSystem(system: MessagesRequest['system']): string | MessagesTextBlock[] | undefined {
  if (system === undefined || system.length === 0) return undefined
  return typeof system === 'string' ? system : system.map(parseText)
}

/** undefined is "disabled", the default. */
function parseThinking(
  thinking: RawThinking | undefined,
  maxTokens: number,
): Parsed<EffectiveMessagesRequest['thinking'] | undefined> {
  if (thinking === undefined || thinking.type === 'disabled') return { ok: true, value: undefined }
  if (thinking.display !== undefined && thinking.display !== null && thinking.display !== 'omitted') {
    return invalid('thinking.display', 'thinking.display: thoughts are not shown.', 'unsupported_value')
  }
  if (thinking.type === 'adaptive') return { ok: true, value: { type: 'adaptive' } }
  if (thinking.budget_tokens >= maxTokens) {
    return invalid('thinking.budget_tokens', 'thinking.budget_tokens must be less than max_tokens.')
  }
  return { ok: true, value: { type: 'enabled', budget_tokens: thinking.budget_tokens } }
}
