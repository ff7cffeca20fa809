import type { EffectiveChatRequest } from '@turnpike/contracts'
import { joinTurns, type TextPart, type TextRequest, type Turn } from '../../text/text-request.ts'

type ChatContent = EffectiveChatRequest['messages'][number]['content']

/** An effective chat request as a neutral one. Fields beyond these took part in the fingerprint and say nothing to a model. */
export function readChatRequest(request: EffectiveChatRequest): TextRequest {
  const system: string[] = []
  const turns: Turn[] = []
  for (const message of request.messages) {
    const parts = textParts(message.content)
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...parts.map((part) => part.text).filter((text) => text !== ''))
        break
      case 'user':
      case 'assistant':
        turns.push({ role: message.role, parts })
        break
    }
  }
  return {
    system,
    turns: joinTurns(turns),
    tools: [],
    toolChoice: { mode: 'auto' },
    output: { format: 'text' },
    maxOutputTokens: request.max_tokens,
    sampling: {
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.top_p === undefined ? {} : { topP: request.top_p }),
      ...(request.seed === undefined ? {} : { seed: request.seed }),
    },
    stopSequences: request.stop ?? [],
    thinking: { kind: 'minimum' },
  }
}

function textParts(content: ChatContent): TextPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [{ type: 'text', text: part.text }] : []))
}
