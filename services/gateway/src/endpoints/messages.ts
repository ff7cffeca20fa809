import { maximumTextPriceAtomic, minimumPriceAtomic } from '@turnpike/catalog'
import { type EffectiveMessagesRequest, isTextModel, MessagesRequest, parseMessages, promptOfMessages } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { textDeadlineMs } from './provider-deadlines.ts'
import { textPrice } from './text-price.ts'

const MAX_BYTES = 20 * 1024 * 1024

export const messages: PaidEndpointDefinition<EffectiveMessagesRequest> = {
  path: '/v1/messages',
  description: 'A message in the shape of Anthropic, not streamed. One fixed price per request.',
  maxBytes: MAX_BYTES,
  minimumPriceAtomic,
  maximumPriceAtomic: maximumTextPriceAtomic,
  requestSchema: MessagesRequest,
  parse: parseMessages,
  serves: isTextModel,
  price: (request) => textPrice(request, promptOfMessages(request)),
  providerDeadlineMs: (request) => textDeadlineMs(request.max_tokens),
}
