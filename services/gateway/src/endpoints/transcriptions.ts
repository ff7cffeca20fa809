import { minimumTranscriptionPriceAtomic, quoteTranscription, TRANSCRIPTION } from '@turnpike/catalog'
import { isTranscriptionModel, TranscriptionRequest } from '@turnpike/contracts'
import {
  effectiveTranscription,
  parseUploadForm,
  parseUploadJson,
  type TranscriptionUpload,
} from '../transcription/parse-upload.ts'
import type { PaidEndpointDefinition } from './paid-endpoint.ts'
import { TRANSCRIPTION_DEADLINE_MS } from './provider-deadlines.ts'

const MAX_JSON_BYTES = 36 * 1024 * 1024
const MAX_FORM_BYTES = 27 * 1024 * 1024

export const transcriptions: PaidEndpointDefinition<TranscriptionUpload> = {
  path: '/v1/audio/transcriptions',
  description: 'The transcript of one MP3. One fixed price per request, by the measured duration of the audio.',
  maxBytes: MAX_JSON_BYTES,
  minimumPriceAtomic: minimumTranscriptionPriceAtomic,
  maximumPriceAtomic: () => quoteTranscription({ durationMs: TRANSCRIPTION.maximumDurationMs }).price.amountAtomic,
  requestSchema: TranscriptionRequest,
  parse: parseUploadJson,
  multipart: { maxBytes: MAX_FORM_BYTES, parse: parseUploadForm },
  effectiveOf: effectiveTranscription,
  audioOf: ({ audio }) => audio,
  serves: isTranscriptionModel,
  price: ({ audio }) => quoteTranscription({ durationMs: audio.durationMs }),
  providerDeadlineMs: () => TRANSCRIPTION_DEADLINE_MS,
}
