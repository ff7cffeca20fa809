import type { PaidEndpoint } from '../models.ts'
import { EXAMPLES } from './examples.ts'
import { errorResponses, headers, type Json, jsonContent, type Operation, type Paths, ref } from './operation.ts'

/** USD, as x-payment-info says it. */
export type PriceHint = { mode: 'fixed'; amount: string } | { mode: 'dynamic'; min: string; max: string }

const OPERATIONS: Record<
  PaidEndpoint,
  { operationId: string; tag: string; summary: string; description: string; request: string; response: string }
> = {
  '/v1/chat/completions': {
    operationId: 'createChatCompletion',
    tag: 'Text',
    summary: "A chat completion in OpenAI's shape, not streamed",
    description:
      'Priced by the estimated input tokens and the output ceiling `max_tokens`. No field is ignored: what is not supported is a 400.',
    request: 'ChatCompletionRequest',
    response: 'ChatCompletion',
  },
  '/v1/messages': {
    operationId: 'createMessage',
    tag: 'Text',
    summary: "A message in Anthropic's shape, not streamed",
    description:
      'Priced by the estimated input tokens and the output ceiling `max_tokens`. No field is ignored: what is not supported is a 400.',
    request: 'MessagesRequest',
    response: 'Message',
  },
  '/v1/images/generations': {
    operationId: 'createImage',
    tag: 'Media',
    summary: 'One image from a prompt, hosted for seven days',
    description: 'One fixed price. A refused prompt is a 400 `content_blocked` and costs nothing.',
    request: 'ImageRequest',
    response: 'ImagesResponse',
  },
  '/v1/audio/speech': {
    operationId: 'createSpeech',
    tag: 'Media',
    summary: 'Speech from text as an MP3, hosted for 24 hours',
    description: 'Priced by the characters (code points) of the input.',
    request: 'SpeechRequest',
    response: 'SpeechResponse',
  },
  '/v1/audio/transcriptions': {
    operationId: 'createTranscription',
    tag: 'Media',
    summary: 'The transcript of one MP3, priced by its measured duration',
    description:
      'The speech provider keeps audio and transcript in its standard retained mode; deletion here does not delete its copy. Sensitive or regulated audio must not be submitted.',
    request: 'TranscriptionRequest',
    response: 'TranscriptionResponse',
  },
}

/** The paid routes that are on offer, with their prices. */
export function paidPaths(prices: Partial<Record<PaidEndpoint, PriceHint>>): Paths {
  const paths: Paths = {}
  for (const [path, price] of Object.entries(prices) as [PaidEndpoint, PriceHint][])
    paths[path] = { post: paidOperation(path, price) }
  return paths
}

function paidOperation(path: PaidEndpoint, price: PriceHint): Operation {
  const { operationId, tag, summary, description, request, response } = OPERATIONS[path]
  const envelope = path === '/v1/messages' ? 'MessagesErrorBody' : 'ErrorBody'
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    // Payment is not authentication: it is declared on its own, and no account or key is asked for.
    security: [],
    'x-payment-info': { price: { ...price, currency: 'USD' }, protocols: [{ x402: {} }] },
    parameters: [
      {
        name: 'x-idempotency-key',
        in: 'header',
        required: true,
        description:
          'One fresh value per request (a UUID is good), kept over the unpaid request, the signed one and every retry. A secret.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
      },
      {
        name: 'PAYMENT-SIGNATURE',
        in: 'header',
        required: false,
        description: 'Base64 of the signed x402 v2 payment. Without it the answer is the price.',
        schema: { type: 'string' },
      },
    ],
    requestBody: { required: true, content: requestContent(path, request) },
    responses: {
      200: {
        description: 'The answer. It leaves only after result, payment and receipt are committed.',
        headers: headers('X-Receipt-ID', 'X-Receipt-Token', 'PAYMENT-RESPONSE', 'X-Catalog-Version', 'Idempotent-Replayed'),
        content: jsonContent(response, EXAMPLES[path].response),
      },
      402: {
        description:
          'The price. Sign PAYMENT-REQUIRED with an x402 v2 client and send the same request again with PAYMENT-SIGNATURE.',
        headers: headers('PAYMENT-REQUIRED', 'X-Service-Challenge-Kind', 'x-should-retry'),
        content: jsonContent('ChallengeBody'),
      },
      ...errorResponses(envelope, 400, 405, 408, 409, 413, 415, 429, 503),
    },
  }
}

function requestContent(path: PaidEndpoint, schema: string): Json {
  const json = jsonContent(schema, EXAMPLES[path].request)
  return path === '/v1/audio/transcriptions' ? { ...json, 'multipart/form-data': { schema: ref('TranscriptionForm') } } : json
}
