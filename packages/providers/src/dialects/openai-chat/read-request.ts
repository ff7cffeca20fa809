import type { ChatImagePart, ChatTextPart, EffectiveChatRequest } from '@turnpike/contracts'
import { type FetchedImages, fetchedImage } from '../../text/fetched-images.ts'
import { joinTurns } from '../../text/join-turns.ts'
import type { ImagePart, OutputFormat, TextPart, TextRequest, ToolChoice, Turn } from '../../text/text-request.ts'
import { readChatToolCall } from './tool-calls.ts'

type ChatContent = string | readonly (ChatTextPart | ChatImagePart)[] | null

/**
 * An effective chat request as a neutral one; `images` holds those that it names by URL (see `chatImageUrls`). Fields beyond these
 * took part in the fingerprint and say nothing to a model.
 */
export function readChatRequest(request: EffectiveChatRequest, images: FetchedImages = new Map()): TextRequest {
  const { temperature, top_p: topP, seed } = request
  return {
    ...readMessages(request, images),
    tools: (request.tools ?? []).map(({ function: { name, description, parameters } }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    })),
    toolChoice: readToolChoice(request.tool_choice),
    onlyFirstCall: request.parallel_tool_calls === false,
    output: readOutput(request.response_format),
    maxOutputTokens: request.max_tokens,
    sampling: {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(seed === undefined ? {} : { seed }),
    },
    stopSequences: request.stop ?? [],
    thinking: request.reasoning_effort === undefined ? { kind: 'minimum' } : { kind: 'effort', effort: request.reasoning_effort },
  }
}

/** The images that somebody has to fetch before the request can be read, each once. */
export function chatImageUrls(request: EffectiveChatRequest): string[] {
  const urls = new Set<string>()
  for (const { content } of request.messages) {
    if (content === null || typeof content === 'string') continue
    for (const part of content) {
      if (part.type === 'image_url' && inlineImage(part.image_url.url) === undefined) urls.add(part.image_url.url)
    }
  }
  return [...urls]
}

function readMessages(request: EffectiveChatRequest, images: FetchedImages): Pick<TextRequest, 'system' | 'turns'> {
  const system: string[] = []
  const turns: Turn[] = []
  // Ids may come again in a later step: a result belongs to the last call with its id.
  const toolNames = new Map<string, string>()
  for (const message of request.messages) {
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...textsOf(message.content).filter((text) => text !== ''))
        break
      case 'user':
        turns.push({ role: 'user', parts: readParts(message.content, images) })
        break
      case 'assistant': {
        const calls = (message.tool_calls ?? []).map(readChatToolCall)
        for (const { id, name } of calls) toolNames.set(id, name)
        const texts = textsOf(message.content).map((text): TextPart => ({ type: 'text', text }))
        turns.push({ role: 'assistant', parts: [...texts, ...calls] })
        break
      }
      case 'tool': {
        const name = toolNames.get(message.tool_call_id)
        if (name === undefined) throw new TypeError('a tool result without its call: the gateway refuses those')
        const text = textsOf(message.content).join('\n')
        turns.push({
          role: 'user',
          parts: [{ type: 'tool_result', callId: message.tool_call_id, name, text, isError: false, images: [] }],
        })
        break
      }
    }
  }
  return { system, turns: joinTurns(turns) }
}

function textsOf(content: string | readonly ChatTextPart[] | null): string[] {
  if (content === null) return []
  return typeof content === 'string' ? [content] : content.map((part) => part.text)
}

function readParts(content: ChatContent, images: FetchedImages): (TextPart | ImagePart)[] {
  if (content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text }
    const { url } = part.image_url
    return inlineImage(url) ?? fetchedImage(images, url)
  })
}

/** A data URL is in one spelling and names the type that its bytes are: the gateway has seen to that. undefined for any other. */
function inlineImage(url: string): ImagePart | undefined {
  if (!url.startsWith('data:')) return undefined
  const comma = url.indexOf(',')
  return { type: 'image', mimeType: url.slice('data:'.length, comma - ';base64'.length), base64: url.slice(comma + 1) }
}

function readToolChoice(choice: EffectiveChatRequest['tool_choice']): ToolChoice {
  if (choice === undefined) return { mode: 'auto' }
  return typeof choice === 'string' ? { mode: choice } : { mode: 'named', name: choice.function.name }
}

/** The name of a schema and `strict` mean nothing upstream: every schema is kept to. */
function readOutput(format: EffectiveChatRequest['response_format']): OutputFormat {
  if (format === undefined) return { format: 'text' }
  if (format.type === 'json_object') return { format: 'json' }
  const { schema, description } = format.json_schema
  if (schema === undefined) return { format: 'json' }
  return { format: 'json_schema', schema: description === undefined ? schema : { description, ...schema } }
}
