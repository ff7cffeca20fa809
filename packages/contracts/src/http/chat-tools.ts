import type { RawChatTool, RawResponseFormat, RawToolChoice } from './chat-completions.ts'
import { MAX_CHAT_TOOL_NAME_LENGTH } from './chat-tool-calls.ts'
import type { ChatResponseFormat, ChatTool, ChatToolChoice } from './effective-chat-request.ts'
import { invalid, type Parsed } from './request-problem.ts'
import { type DeclarationBudget, declarationProblem, nameProblem, responseSchemaProblem } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

export function parseChatTools(tools: RawChatTool[], budget: DeclarationBudget): Parsed<ChatTool[]> {
  const names = new Set<string>()
  const parsed: ChatTool[] = []
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    if (tool.type !== 'function') {
      return invalid(`${at}.type`, `${at}.type must be "function": other tools are not supported.`, 'unsupported_value')
    }
    const { name, description, parameters } = tool.function
    const problem = declarationProblem(
      { name, description, schema: parameters },
      { name: `${at}.function.name`, schema: `${at}.function.parameters` },
      { maxNameLength: MAX_CHAT_TOOL_NAME_LENGTH, names, budget },
    )
    if (problem !== undefined) return problem
    parsed.push({ ...withoutNulls(tool), type: 'function', function: { ...withoutNulls(tool.function), name } })
  }
  return { ok: true, value: parsed }
}

/** undefined is "auto", the default. */
export function parseToolChoice(choice: RawToolChoice | undefined, tools: ChatTool[]): Parsed<ChatToolChoice | undefined> {
  const none: Parsed<undefined> = { ok: true, value: undefined }
  if (choice === undefined || choice === 'auto') return none
  if (choice === 'none') return tools.length === 0 ? none : { ok: true, value: 'none' }
  if (choice === 'required') {
    return tools.length === 0 ? invalid('tool_choice', 'tool_choice "required" needs tools.') : { ok: true, value: 'required' }
  }
  if (typeof choice === 'string') return invalid('tool_choice', 'tool_choice must be "none", "auto", "required" or one function.')
  if (choice.type !== 'function') {
    return invalid('tool_choice.type', 'tool_choice.type must be "function": other kinds are not supported.', 'unsupported_value')
  }
  const { name } = choice.function
  if (!tools.some((tool) => tool.function.name === name)) {
    return invalid('tool_choice.function.name', 'tool_choice.function.name is not the name of one of the tools.')
  }
  return { ok: true, value: { type: 'function', function: { name } } }
}

/** undefined is text, the default. */
export function parseResponseFormat(
  format: RawResponseFormat | undefined,
  budget: DeclarationBudget,
): Parsed<ChatResponseFormat | undefined> {
  switch (format?.type) {
    case undefined:
    case 'text':
      return { ok: true, value: undefined }
    case 'json_object':
      return { ok: true, value: { type: 'json_object' } }
    case 'json_schema': {
      const { name, schema } = format.json_schema
      const misnamed = nameProblem(name, 'response_format.json_schema.name', MAX_CHAT_TOOL_NAME_LENGTH)
      if (misnamed !== undefined) return misnamed
      if (schema !== undefined && schema !== null) {
        const problem = responseSchemaProblem(schema, 'response_format.json_schema.schema', budget)
        if (problem !== undefined) return problem
      }
      return { ok: true, value: { type: 'json_schema', json_schema: { ...withoutNulls(format.json_schema), name } } }
    }
    default:
      return invalid('response_format.type', 'response_format.type must be "text", "json_object" or "json_schema".')
  }
}
