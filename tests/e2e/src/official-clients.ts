import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI, { APIError as OpenAIError } from 'openai'
import { type Dialect, dialectOf, PATHS } from './dialects.ts'

/** What an official client made of an answer. */
export type Completion = { text: string; stopReason: string | null }
export type ClientRequest = { url: string; body: object; headers: Record<string, string> }

/** The official client of the dialect that `url` speaks, with its default retries, over `wire`. */
export async function completeWith(wire: typeof fetch, { url, body, headers }: ClientRequest): Promise<Completion> {
  return dialectOf(url) === 'chat' ? withOpenAI(wire, { url, body, headers }) : withAnthropic(wire, { url, body, headers })
}

export const CLIENT_ERRORS: Record<Dialect, typeof OpenAIError | typeof AnthropicError> = {
  chat: OpenAIError,
  messages: AnthropicError,
}

async function withOpenAI(wire: typeof fetch, { url, body, headers }: ClientRequest): Promise<Completion> {
  const baseURL = url.slice(0, -'/chat/completions'.length)
  const client = new OpenAI({ apiKey: 'unused', baseURL, fetch: wire })
  const completion = await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, { headers })
  const [choice] = completion.choices
  return { text: choice?.message.content ?? '', stopReason: choice?.finish_reason ?? null }
}

async function withAnthropic(wire: typeof fetch, { url, body, headers }: ClientRequest): Promise<Completion> {
  const baseURL = url.slice(0, -PATHS.messages.length)
  const client = new Anthropic({ apiKey: 'unused', baseURL, fetch: wire })
  const message = await client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming, { headers })
  const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  return { text, stopReason: message.stop_reason }
}
