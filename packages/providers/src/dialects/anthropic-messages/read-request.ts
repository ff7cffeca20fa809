import type {
  EffectiveMessagesRequest,
  MessagesBlock,
  MessagesImageBlock,
  MessagesTextBlock,
  MessagesToolResultBlock,
} from '@turnpike/contracts'
import { type FetchedImages, fetchedImage } from '../../text/fetched-images.ts'
import { joinTurns } from '../../text/join-turns.ts'
import type {
  AssistantPart,
  ImagePart,
  TextRequest,
  Thinking,
  ToolChoice,
  ToolResultPart,
  Turn,
  UserPart,
} from '../../text/text-request.ts'

/**
 * An effective messages request as a neutral one; `images` holds those that it names by URL (see `messagesImageUrls`). Fields beyond
 * these (cache_control, citations, metadata) took part in the fingerprint and say nothing to a model.
 */
export function readMessagesRequest(request: EffectiveMessagesRequest, images: FetchedImages = new Map()): TextRequest {
  const { temperature, top_p: topP, top_k: topK } = request
  return {
    system: blocksOf(request.system ?? []).flatMap(({ text }) => (text === '' ? [] : [text])),
    turns: joinTurns(readTurns(request, images)),
    tools: (request.tools ?? []).map(({ name, description, input_schema: parameters }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      parameters,
    })),
    toolChoice: readToolChoice(request.tool_choice),
    onlyFirstCall: request.tool_choice?.disable_parallel_tool_use === true,
    output: { format: 'text' },
    maxOutputTokens: request.max_tokens,
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(topK === undefined ? {} : { topK }),
    },
    stopSequences: request.stop_sequences ?? [],
    thinking: readThinking(request.thinking),
  }
}

/** The images that somebody has to fetch before the request can be read, each once; those inside tool results too. */
export function messagesImageUrls(request: EffectiveMessagesRequest): string[] {
  const urls = new Set<string>()
  const collect = (blocks: readonly MessagesBlock[]): void => {
    for (const block of blocks) {
      if (block.type === 'image' && block.source.type === 'url') urls.add(block.source.url)
      else if (block.type === 'tool_result') collect(blocksOf(block.content ?? []))
    }
  }
  for (const { content } of request.messages) collect(blocksOf(content))
  return [...urls]
}

function readTurns(request: EffectiveMessagesRequest, images: FetchedImages): Turn[] {
  // Ids may come again in a later step: a result belongs to the last call with its id.
  const toolNames = new Map<string, string>()
  return request.messages.map(({ role, content }): Turn => {
    const blocks = blocksOf(content)
    if (role === 'user') return { role, parts: blocks.map((block) => readUserBlock(block, toolNames, images)) }
    const parts = blocks.map(readAssistantBlock)
    for (const part of parts) if (part.type === 'tool_call') toolNames.set(part.id, part.name)
    return { role, parts }
  })
}

function blocksOf<Block>(content: string | readonly Block[]): readonly (Block | MessagesTextBlock)[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

function readUserBlock(block: MessagesBlock, toolNames: ReadonlyMap<string, string>, images: FetchedImages): UserPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'image':
      return readImage(block, images)
    case 'tool_result':
      return readToolResult(block, toolNames, images)
    case 'tool_use':
      throw new TypeError('a call by the user: the gateway refuses those')
  }
}

function readAssistantBlock(block: MessagesBlock): AssistantPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'tool_use': {
      const { id, name, input, thought_signature: signature } = block
      return { type: 'tool_call', id, name, arguments: input, ...(signature === undefined ? {} : { signature }) }
    }
    case 'image':
    case 'tool_result':
      throw new TypeError(`${block.type} by the assistant: the gateway refuses those`)
  }
}

function readToolResult(
  block: MessagesToolResultBlock,
  toolNames: ReadonlyMap<string, string>,
  images: FetchedImages,
): ToolResultPart {
  const name = toolNames.get(block.tool_use_id)
  if (name === undefined) throw new TypeError('a tool result without its call: the gateway refuses those')
  const content = blocksOf(block.content ?? [])
  return {
    type: 'tool_result',
    callId: block.tool_use_id,
    name,
    text: content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n'),
    isError: block.is_error === true,
    images: content.flatMap((inner) => (inner.type === 'image' ? [readImage(inner, images)] : [])),
  }
}

function readImage({ source }: MessagesImageBlock, images: FetchedImages): ImagePart {
  if (source.type === 'url') return fetchedImage(images, source.url)
  return { type: 'image', mimeType: source.media_type, base64: source.data }
}

function readToolChoice(choice: EffectiveMessagesRequest['tool_choice']): ToolChoice {
  switch (choice?.type) {
    case undefined:
    case 'auto':
      return { mode: 'auto' }
    case 'any':
      return { mode: 'required' }
    case 'none':
      return { mode: 'none' }
    case 'tool':
      return { mode: 'named', name: choice.name }
  }
}

function readThinking(thinking: EffectiveMessagesRequest['thinking']): Thinking {
  switch (thinking?.type) {
    case undefined:
      return { kind: 'minimum' }
    case 'enabled':
      return { kind: 'budget', tokens: thinking.budget_tokens }
    case 'adaptive':
      return { kind: 'adaptive' }
  }
}
