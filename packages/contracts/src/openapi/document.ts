import type { TSchema } from 'typebox'
import { ChatCompletionRequest } from '../http/chat-completions.ts'
import { ImageRequest } from '../http/images-generations.ts'
import { MessagesRequest } from '../http/messages.ts'
import * as responses from '../http/responses/index.ts'
import { SpeechRequest } from '../http/speech.ts'
import { TranscriptionForm, TranscriptionRequest } from '../http/transcription.ts'
import { IMAGE_MODELS, type Model, type PaidEndpoint, SPEECH_MODELS, TEXT_MODELS, TRANSCRIPTION_MODELS } from '../models.ts'
import { Receipt } from '../receipt.ts'
import { freePaths } from './free-operations.ts'
import { headerComponents, type Json } from './operation.ts'
import { type PriceHint, paidPaths } from './paid-operations.ts'

export type { PriceHint } from './paid-operations.ts'

export const API_VERSION = '0.5.0'

const GUIDANCE = `Every paid call is one POST. Send it unsigned with a fresh x-idempotency-key: the 402 names the exact price. Check network (eip155:8453), asset (USDC on Base), payTo and amount, sign with an official x402 v2 exact client, and send the same request with the same key and PAYMENT-SIGNATURE. A retry under the same key never pays twice; a result is kept for seven days. Inspection challenges (X-Service-Challenge-Kind) must not be signed. Read GET /v1/models and GET /v1/pricing first; POST /v1/quote prices a request without binding anything.`

const SCHEMAS: Record<string, TSchema> = {
  ...responses,
  Receipt,
  ChatCompletionRequest,
  MessagesRequest,
  ImageRequest,
  SpeechRequest,
  TranscriptionRequest,
  TranscriptionForm,
}

const MODELS_OF: Record<string, readonly Model[]> = {
  ChatCompletionRequest: TEXT_MODELS,
  MessagesRequest: TEXT_MODELS,
  ImageRequest: IMAGE_MODELS,
  SpeechRequest: SPEECH_MODELS,
  TranscriptionRequest: TRANSCRIPTION_MODELS,
  TranscriptionForm: TRANSCRIPTION_MODELS,
}

/** OpenAPI 3.1.0 of what is on offer: the schemas are those that validate. `prices` names the paid endpoints that are served. */
export function openApiDocument(input: {
  baseUrl: string
  prices: Partial<Record<PaidEndpoint, PriceHint>>
  /** Those on offer. */
  models: readonly Model[]
}): Json {
  const paths = { ...paidPaths(input.prices), ...freePaths() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Turnpike',
      version: API_VERSION,
      summary: 'AI model calls sold one at a time: the price first, USDC on Base, then the answer and a receipt.',
      description: `No account, no API key, no subscription. ${GUIDANCE}`,
      'x-guidance': GUIDANCE,
    },
    'x-agentcash-guidance': { llmsTxtUrl: `${input.baseUrl}/llms.txt` },
    servers: [{ url: input.baseUrl }],
    tags: [
      { name: 'Text', description: 'Chat and messages, paid per request.' },
      { name: 'Media', description: 'Images, speech and transcription, paid per request, and hosted files.' },
      { name: 'Discovery', description: 'What is sold and what it costs. Free.' },
      { name: 'Receipts', description: 'Proof of every payment. Free.' },
      { name: 'Health' },
    ],
    paths,
    components: {
      schemas: usedSchemas(paths, input.models),
      headers: headerComponents(),
      securitySchemes: {
        receiptToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'X-Receipt-Token of the response that the receipt belongs to.',
        },
      },
    },
  }
}

/** Only what is referred to. Through JSON, which drops the symbols that TypeBox marks its values with. */
function usedSchemas(paths: object, offered: readonly Model[]): Json {
  const text = JSON.stringify(paths)
  const used = Object.entries(SCHEMAS).filter(([name]) => text.includes(`"#/components/schemas/${name}"`))
  const schemas = JSON.parse(JSON.stringify(Object.fromEntries(used))) as Record<string, { properties?: Json }>
  // The validators leave the model open, because one that is not offered has an error of its own.
  for (const [name, models] of Object.entries(MODELS_OF)) {
    const properties = schemas[name]?.properties
    if (properties !== undefined) properties.model = { type: 'string', enum: models.filter((model) => offered.includes(model)) }
  }
  const endpoint = schemas.QuoteRequest?.properties?.endpoint as { enum: readonly string[] } | undefined
  if (endpoint !== undefined) endpoint.enum = endpoint.enum.filter((path) => path in paths)
  return schemas
}
