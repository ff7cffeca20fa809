import { minimumPriceAtomic, quoteSpeech, SPEECH } from '@turnpike/catalog'
import {
  countCharacters,
  type EffectiveSpeechRequest,
  isSpeechModel,
  parseSpeechRequest,
  SpeechRequest,
} from '@turnpike/contracts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { MEDIA_DEADLINE_MS } from './provider-deadlines.ts'

const MAX_BYTES = 64 * 1024

export const speech: PaidEndpointDefinition<EffectiveSpeechRequest> = {
  path: '/v1/audio/speech',
  description: 'Speech from text as an MP3, hosted for 24 hours. One fixed price per request, by its characters.',
  maxBytes: MAX_BYTES,
  minimumPriceAtomic,
  maximumPriceAtomic: () => quoteSpeech({ characters: SPEECH.maximumCharacters }).price.amountAtomic,
  requestSchema: SpeechRequest,
  parse: parseSpeechRequest,
  serves: isSpeechModel,
  price: ({ input }) => quoteSpeech({ characters: countCharacters(input) }),
  providerDeadlineMs: () => MEDIA_DEADLINE_MS,
}
