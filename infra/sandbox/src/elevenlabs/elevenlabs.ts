import type { PreparedCall, Reply, Upstream, UpstreamRequest } from '../reply.ts'
import { type Problem, plainReply, problemReply } from './detail.ts'
import { prepareSpeech } from './speak.ts'
import { prepareTranscription } from './transcribe.ts'

export interface ElevenLabsDeps {
  apiKey: string
  /** Undefined: every well-formed voice id is a voice. */
  voices: ReadonlySet<string> | undefined
}

/** ElevenLabs' text to speech and speech to text, as the account of one key sees them. */
export function createElevenLabs(deps: ElevenLabsDeps): Upstream {
  return {
    name: 'elevenlabs',
    prepare: (request) => prepare(deps, request),
    faultReply(status) {
      switch (status) {
        case 429:
          return problemReply(tooManyRequests)
        case 500:
          return problemReply(internalError)
        case 503:
          return problemReply(systemBusy)
      }
    },
    tooLarge: () => plainReply(413, 'Request Entity Too Large'),
  }
}

const speechPath = /^\/v1\/text-to-speech\/([^/]+)$/

function prepare(deps: ElevenLabsDeps, request: UpstreamRequest): PreparedCall {
  const voice = speechPath.exec(request.path)?.[1]
  if (voice === undefined && request.path !== '/v1/speech-to-text') return fixed(plainReply(404, 'Not Found'))
  if (request.method !== 'POST') return fixed(plainReply(405, 'Method Not Allowed'))
  const prepared = voice === undefined ? prepareTranscription(request) : prepareSpeech({ voices: deps.voices }, request, voice)
  const key = request.header('xi-api-key')
  if (key === deps.apiKey) return prepared
  return { ...prepared, answer: () => problemReply(key === undefined || key === '' ? missingKey : invalidKey) }
}

function fixed(reply: Reply): PreparedCall {
  return { model: '', text: '', answer: () => reply }
}

const missingKey: Problem = {
  httpStatus: 401,
  type: 'authentication_error',
  code: 'needs_authorization',
  message: 'Neither authorization header nor xi-api-key received, please provide one.',
}
const invalidKey: Problem = {
  httpStatus: 401,
  type: 'authentication_error',
  code: 'invalid_api_key',
  message: 'Invalid API key',
}
const tooManyRequests: Problem = {
  httpStatus: 429,
  type: 'rate_limit_error',
  code: 'too_many_concurrent_requests',
  message:
    'Too many concurrent requests. Your current subscription is associated with a maximum of 20 concurrent requests (running in parallel).',
}
const internalError: Problem = {
  httpStatus: 500,
  type: 'internal_error',
  code: 'internal_server_error',
  message: 'An unexpected error occurred. Please try again later.',
}
const systemBusy: Problem = {
  httpStatus: 503,
  type: 'service_unavailable',
  code: 'system_busy',
  message: 'The system is experiencing heavy traffic, please try again.',
}
