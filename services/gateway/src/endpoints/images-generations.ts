import { quoteImage } from '@turnpike/catalog'
import { type EffectiveImageRequest, ImageRequest, isImageModel, parseImageRequest } from '@turnpike/contracts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { MEDIA_DEADLINE_MS } from './provider-deadlines.ts'

const MAX_BYTES = 64 * 1024

export const imagesGenerations: PaidEndpointDefinition<EffectiveImageRequest> = {
  path: '/v1/images/generations',
  description: 'One image from a prompt, hosted for seven days. One fixed price per image.',
  maxBytes: MAX_BYTES,
  minimumPriceAtomic: () => quoteImage().price.amountAtomic,
  maximumPriceAtomic: () => quoteImage().price.amountAtomic,
  requestSchema: ImageRequest,
  parse: parseImageRequest,
  serves: isImageModel,
  price: quoteImage,
  providerDeadlineMs: () => MEDIA_DEADLINE_MS,
}
