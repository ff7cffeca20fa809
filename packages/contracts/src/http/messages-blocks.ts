import { isSignature } from './chat-tool-calls.ts'
import type { MessagesBlock, MessagesImageBlock, MessagesTextBlock } from './effective-messages-request.ts'
import { base64ImageProblem, checkHttpsUrl, type ImageBudget } from './image-source.ts'
import type { RawBlock, RawImageBlock, RawMessage, RawTextBlock, RawToolResultBlock, RawToolUseBlock } from './messages.ts'
import { invalid, type Parsed, type RequestProblem } from './request-problem.ts'
import { ARGUMENT_LIMITS, isTooDeep } from './tool-arguments.ts'
import { nameProblem } from './tool-declarations.ts'
import { withoutNulls } from './without-nulls.ts'

type Refused = { ok: false; problem: RequestProblem }

export const MAX_MESSAGES_TOOL_NAME_LENGTH = 128

/** Blocks of Anthropic's that are refused by their own name; of any other type only the allowed ones are named. */
const REFUSED_BLOCKS = ['thinking', 'redacted_thinking', 'document', 'search_result', 'server_tool_use', 'container_upload']

/** The content of one message. Images and results only from users, calls only from assistants. */
export function parseBlocks(message: RawMessage, path: string, images: ImageBudget): Parsed<string | MessagesBlock[]> {
  const { role, content } = message
  if (typeof content === 'string') return { ok: true, value: content }
  const parsed: MessagesBlock[] = []
  for (const [index, block] of content.entries()) {
    const at = `${path}[${index}]`
    const read = parseBlock(block, at, role, images)
    if (!read.ok) return read
    parsed.push(read.value)
  }
  return { ok: true, value: parsed }
}

function parseBlock(block: RawBlock, at: string, role: RawMessage['role'], images: ImageBudget): Parsed<MessagesBlock> {
  switch (block.type) {
    case 'text':
      return { ok: true, value: parseText(block) }
    case 'image':
      return role === 'user' ? parseImage(block, at, images) : misplaced(at, 'image', 'user')
    case 'tool_use':
      return role === 'assistant' ? parseToolUse(block, at) : misplaced(at, 'tool_use', 'assistant')
    case 'tool_result':
      return role === 'user' ? parseToolResult(block, at, images) : misplaced(at, 'tool_result', 'user')
    default:
      return unknownBlock(block, at, ['text', 'image', 'tool_use', 'tool_result'])
  }
}

export function parseText(block: RawTextBlock): MessagesTextBlock {
  const { citations: _citations, ...rest } = harmlessLeftOut(block)
  return { ...rest, type: 'text', text: block.text }
}

function parseImage(block: RawImageBlock, at: string, images: ImageBudget): Parsed<MessagesImageBlock> {
  const { transformations, ...rest } = harmlessLeftOut(block)
  if (transformations !== undefined) return notSupported(`${at}.transformations`)
  const { source } = block
  switch (source.type) {
    case 'base64': {
      const { media_type, data } = source
      const paths = { type: `${at}.source.media_type`, data: `${at}.source.data` }
      const problem = base64ImageProblem({ mimeType: media_type, data }, paths, images)
      return problem ?? { ok: true, value: { ...rest, type: 'image', source: { type: 'base64', media_type, data } } }
    }
    case 'url': {
      const url = checkHttpsUrl(source.url, `${at}.source.url`, images)
      return url.ok ? { ok: true, value: { ...rest, type: 'image', source: { type: 'url', url: url.value } } } : url
    }
    case 'file':
      return invalid(
        `${at}.source.type`,
        `${at}.source: files are not supported; send base64 or an https URL.`,
        'unsupported_value',
      )
  }
}

function parseToolUse(block: RawToolUseBlock, at: string): Parsed<MessagesBlock> {
  const { caller, toolset_name, thought_signature, ...rest } = harmlessLeftOut(block)
  if (toolset_name !== undefined) return notSupported(`${at}.toolset_name`)
  if (caller !== undefined && (caller as { type?: unknown }).type !== 'direct') return notSupported(`${at}.caller`)
  const misnamed = nameProblem(block.name, `${at}.name`, MAX_MESSAGES_TOOL_NAME_LENGTH)
  if (misnamed !== undefined) return misnamed
  if (isTooDeep(block.input))
    return invalid(`${at}.input`, `${at}.input is nested deeper than ${ARGUMENT_LIMITS.maxDepth} levels.`)
  const signature = block.thought_signature ?? ''
  if (!isSignature(signature)) {
    return invalid(`${at}.thought_signature`, `${at}.thought_signature must be the Base64 that came with the block.`)
  }
  const { id, name, input } = block
  const signed = signature === '' ? {} : { thought_signature: signature }
  return { ok: true, value: { ...rest, type: 'tool_use', id, name, input, ...signed } }
}

function parseToolResult(block: RawToolResultBlock, at: string, images: ImageBudget): Parsed<MessagesBlock> {
  const { toolset_name, is_error, content: _content, ...rest } = harmlessLeftOut(block)
  if (toolset_name !== undefined) return notSupported(`${at}.toolset_name`)
  const head = {
    ...rest,
    type: 'tool_result' as const,
    tool_use_id: block.tool_use_id,
    ...(is_error === true ? { is_error } : {}),
  }
  const content = block.content ?? []
  if (typeof content === 'string') return { ok: true, value: { ...head, content } }
  const parsed: (MessagesTextBlock | MessagesImageBlock)[] = []
  for (const [index, inner] of content.entries()) {
    const where = `${at}.content[${index}]`
    if (inner.type === 'text') parsed.push(parseText(inner))
    else if (inner.type === 'image') {
      const image = parseImage(inner, where, images)
      if (!image.ok) return image
      parsed.push(image.value)
    } else return unknownBlock(inner, where, ['text', 'image'])
  }
  return { ok: true, value: parsed.length === 0 ? head : { ...head, content: parsed } }
}

/** Caching and citing change nothing that a model is told: with and without them it is one effective request. */
export function harmlessLeftOut(record: { [field: string]: unknown }): { [field: string]: unknown } {
  const { cache_control: _cache, ...rest } = withoutNulls(record)
  return rest
}

function unknownBlock(block: { type: string }, at: string, allowed: string[]): Refused {
  const named = REFUSED_BLOCKS.find((type) => type === block.type)
  if (named !== undefined) return invalid(at, `${at}: ${named} blocks are not supported.`, 'unsupported_value')
  return invalid(`${at}.type`, `${at}.type must be one of ${allowed.map((type) => JSON.stringify(type)).join(', ')}.`)
}

function misplaced(at: string, block: string, role: string): Refused {
  return invalid(at, `${at}: ${block} blocks belong to ${role} messages.`)
}

function notSupported(field: string): Refused {
  return invalid(field, `${field} is not supported.`, 'unsupported_field')
}
