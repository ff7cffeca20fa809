import type { EffectiveMessage, MessagesBlock } from './effective-messages-request.ts'
import { imageBudget } from './image-source.ts'
import type { RawMessage } from './messages.ts'
import { harmlessLeftOut, parseBlocks } from './messages-blocks.ts'
import { invalid, type Parsed, type RequestProblem } from './request-problem.ts'

/** The calls that wait for their results, and the message that made them. */
type OpenStep = { ids: Set<string>; path: string }

/** The conversation: every message, and that each call is answered once, by the user messages right after it. */
export function parseTurns(messages: RawMessage[]): Parsed<EffectiveMessage[]> {
  const images = imageBudget()
  const parsed: EffectiveMessage[] = []
  let open: OpenStep | undefined
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`
    const content = parseBlocks(message, `${path}.content`, images)
    if (!content.ok) return content
    const step = nextStep(open, message.role, content.value, path)
    if (!step.ok) return step
    open = step.value
    parsed.push({ ...harmlessLeftOut(message), role: message.role, content: content.value })
  }
  if (open !== undefined) return unanswered(open)
  if (!parsed.some(({ content }) => saysSomething(content))) {
    return invalid('messages', 'messages must hold at least one message that is not empty.')
  }
  return { ok: true, value: parsed }
}

function nextStep(
  open: OpenStep | undefined,
  role: EffectiveMessage['role'],
  content: string | MessagesBlock[],
  path: string,
): Parsed<OpenStep | undefined> {
  const blocks = typeof content === 'string' ? [] : content
  if (role === 'user') {
    for (const [index, block] of blocks.entries()) {
      if (block.type !== 'tool_result') continue
      const at = `${path}.content[${index}].tool_use_id`
      // Struck out: a second result for one call names none that waits.
      if (open === undefined || !open.ids.delete(block.tool_use_id)) {
        return invalid(at, `${at} names no tool_use of the assistant message before that waits for its result.`)
      }
    }
    return { ok: true, value: open?.ids.size === 0 ? undefined : open }
  }
  if (open !== undefined) return unanswered(open)
  const ids = new Set<string>()
  for (const [index, block] of blocks.entries()) {
    if (block.type !== 'tool_use') continue
    const at = `${path}.content[${index}].id`
    if (ids.has(block.id)) return invalid(at, `${at} is the id of another tool_use of this message.`)
    ids.add(block.id)
  }
  return { ok: true, value: ids.size === 0 ? undefined : { ids, path: `${path}.content` } }
}

function unanswered({ path }: OpenStep): { ok: false; problem: RequestProblem } {
  return invalid(path, `${path}: each tool_use must be answered by one tool_result in the user message after it.`)
}

function saysSomething(content: EffectiveMessage['content']): boolean {
  return typeof content === 'string' ? content !== '' : content.some((block) => block.type !== 'text' || block.text !== '')
}
