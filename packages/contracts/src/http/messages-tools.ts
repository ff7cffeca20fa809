import type { MessagesTool, MessagesToolChoice } from './effective-messages-request.ts'
import type { RawMessagesTool, RawMessagesToolChoice } from './messages.ts'
import { MAX_MESSAGES_TOOL_NAME_LENGTH } from './messages-blocks.ts'
import { invalid, type Parsed } from './request-problem.ts'
import { type DeclarationBudget, declarationProblem } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

/** Accepted with the value that asks for nothing, and left out. */
const ASKS_FOR_NOTHING: Record<string, (value: unknown) => boolean> = {
  cache_control: () => true,
  eager_input_streaming: () => true,
  strict: () => true,
  type: () => true, // only "custom" gets this far
  defer_loading: (value) => value === false,
  input_examples: (value) => Array.isArray(value) && value.length === 0,
  allowed_callers: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'direct',
}

export function parseMessagesTools(tools: RawMessagesTool[], budget: DeclarationBudget): Parsed<MessagesTool[]> {
  const names = new Set<string>()
  const parsed: MessagesTool[] = []
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    if ((tool.type ?? 'custom') !== 'custom') {
      return invalid(`${at}.type`, `${at}.type: only custom tools are supported; server tools are not.`, 'unsupported_value')
    }
    const { name, description, input_schema } = tool
    const problem = declarationProblem(
      { name, description, schema: input_schema },
      { name: `${at}.name`, schema: `${at}.input_schema` },
      { maxNameLength: MAX_MESSAGES_TOOL_NAME_LENGTH, names, budget },
    )
    if (problem !== undefined) return problem
    const kept = withoutNulls(tool)
    for (const [field, asksForNothing] of Object.entries(ASKS_FOR_NOTHING)) {
      if (Object.hasOwn(kept, field) && !asksForNothing(kept[field])) {
        return invalid(`${at}.${field}`, `${at}.${field} is not supported.`, 'unsupported_field')
      }
      delete kept[field]
    }
    parsed.push({ ...kept, name, input_schema })
  }
  return { ok: true, value: parsed }
}

/** undefined is "auto" with parallel calls, the default. */
export function parseMessagesToolChoice(
  choice: RawMessagesToolChoice | undefined,
  tools: MessagesTool[],
): Parsed<MessagesToolChoice | undefined> {
  const single = choice?.disable_parallel_tool_use === true ? { disable_parallel_tool_use: true as const } : {}
  const hasTools = tools.length > 0
  switch (choice?.type) {
    case undefined:
      return { ok: true, value: undefined }
    case 'auto':
      return { ok: true, value: hasTools && choice?.disable_parallel_tool_use === true ? { type: 'auto', ...single } : undefined }
    case 'none':
      return { ok: true, value: hasTools ? { type: 'none' } : undefined }
    case 'any':
      return hasTools ? { ok: true, value: { type: 'any', ...single } } : invalid('tool_choice', 'tool_choice "any" needs tools.')
    case 'tool': {
      const name = choice?.name ?? ''
      return tools.some((tool) => tool.name === name)
        ? { ok: true, value: { type: 'tool', name, ...single } }
        : invalid('tool_choice.name', 'tool_choice.name is not the name of one of the tools.')
    }
  }
}
