import type { ChatImagePart, ChatTextPart, EffectiveChatRequest } from './effective-chat-request.ts'
import type { EffectiveMessagesRequest, MessagesBlock, MessagesImageBlock } from './effective-messages-request.ts'
import { imageOfBase64, imageOfUrl } from './image-source.ts'

/** `by_url`: nobody has seen it before payment, so it counts as the largest size. */
export type PromptImage = { widthPx: number; heightPx: number } | 'by_url'

/** Everything of a request that reaches the model. `json`: values that are counted as their RFC 8785 text. */
export type PromptContent = { messages: number; texts: string[]; json: unknown[]; images: PromptImage[] }

/**
 * Texts: every content, in order; after the calls of a message, for each its tool's name once more (the model reads it again with the
 * result) and its thought signature. JSON: each call as {name, arguments}, each declaration as {name, description, parameters}, the
 * format of the answer as {description, schema}; what is absent is left out.
 */
export function promptOfChat(request: EffectiveChatRequest): PromptContent {
  const prompt: PromptContent = { messages: request.messages.length, texts: [], json: [], images: [] }
  for (const message of request.messages) {
    addChatContent(prompt, message.content)
    if (message.role !== 'assistant') continue
    for (const call of message.tool_calls ?? []) {
      prompt.json.push({ name: call.function.name, arguments: JSON.parse(call.function.arguments) })
      prompt.texts.push(call.function.name)
      addSignature(prompt, call.extra_content?.google?.thought_signature)
    }
  }
  for (const { function: declared } of request.tools ?? []) {
    prompt.json.push(withoutAbsent({ name: declared.name, description: declared.description, parameters: declared.parameters }))
  }
  if (request.response_format?.type === 'json_schema') {
    const { description, schema } = request.response_format.json_schema
    prompt.json.push(withoutAbsent({ description, schema }))
  }
  return prompt
}

/** As for chat, with the members of this dialect: {name, input} and {name, description, input_schema}. A system prompt is a message. */
export function promptOfMessages(request: EffectiveMessagesRequest): PromptContent {
  const system = request.system
  const messages = request.messages.length + (system === undefined ? 0 : 1)
  const prompt: PromptContent = { messages, texts: [], json: [], images: [] }
  if (system !== undefined) addBlocks(prompt, system)
  for (const { content } of request.messages) addBlocks(prompt, content)
  for (const { name, description, input_schema } of request.tools ?? []) {
    prompt.json.push(withoutAbsent({ name, description, input_schema }))
  }
  return prompt
}

function addChatContent(prompt: PromptContent, content: string | (ChatTextPart | ChatImagePart)[] | null): void {
  if (content === null) return
  if (typeof content === 'string') {
    prompt.texts.push(content)
    return
  }
  for (const part of content) {
    if (part.type === 'text') prompt.texts.push(part.text)
    else prompt.images.push(imageOfUrl(part.image_url.url))
  }
}

function addBlocks(prompt: PromptContent, content: string | MessagesBlock[]): void {
  if (typeof content === 'string') {
    prompt.texts.push(content)
    return
  }
  for (const block of content) {
    switch (block.type) {
      case 'text':
        prompt.texts.push(block.text)
        break
      case 'image':
        prompt.images.push(imageOf(block.source))
        break
      case 'tool_use':
        prompt.json.push({ name: block.name, input: block.input })
        prompt.texts.push(block.name)
        addSignature(prompt, block.thought_signature)
        break
      case 'tool_result':
        if (block.content !== undefined) addBlocks(prompt, block.content)
        break
    }
  }
}

function imageOf(source: MessagesImageBlock['source']): PromptImage {
  return source.type === 'url' ? 'by_url' : imageOfBase64(source.data)
}

/** Upstreams bill a signature that comes back as input. */
function addSignature(prompt: PromptContent, signature: string | undefined): void {
  if (signature !== undefined) prompt.texts.push(signature)
}

function withoutAbsent(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
