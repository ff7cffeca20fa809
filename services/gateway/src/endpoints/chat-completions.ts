import { maximumTextPriceAtomic, minimumPriceAtomic } from '@turnpike/catalog'
import {
  ChatCompletionRequest,
  type EffectiveChatRequest,
  isTextModel,
  parseChatCompletion,
  promptOfChat,
} from '@turnpike/contracts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { textDeadlineMs } from './provider-deadlines.ts'
import { textPrice } from './text-price.ts'

const MAX_BYTES = 20 * 1024 * 1024

export const chatCompletions: PaidEndpointDefinition<EffectiveChatRequest> = {
  path: '/v1/chat/completions',
  description: 'Chat completion in the shape of OpenAI, not streamed. One fixed price per request.',
  maxBytes: MAX_BYTES,
  minimumPriceAtomic,
  maximumPriceAtomic: maximumTextPriceAtomic,
  requestSchema: ChatCompletionRequest,
  parse: parseChatCompletion,
  serves: isTextModel,
  price: (request) => textPrice(request, promptOfChat(request)),
  providerDeadlineMs: (request) => textDeadlineMs(request.max_tokens),
}
