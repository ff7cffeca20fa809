import { jsonReply, type Reply } from '../reply.ts'

/** A google.rpc.Status as the REST surface writes it. */
export interface WireError {
  code: number
  status: string
  message: string
  details?: readonly Record<string, unknown>[]
}

export interface FieldViolation {
  /** Absent at the top level of the body, as on the real wire. */
  field?: string
  description: string
}

export function errorReply(error: WireError): Reply {
  return jsonReply(error.code, { error }, { vary: 'Origin' })
}

export function invalidArgument(message: string): WireError {
  return { code: 400, message, status: 'INVALID_ARGUMENT' }
}

/** What the JSON transcoding refuses: every violation at once, one line each. */
export function badRequest(violations: readonly FieldViolation[]): WireError {
  return {
    code: 400,
    message: violations.map(({ description }) => description).join('\n'),
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }],
  }
}

export function apiKeyInvalid(): WireError {
  const message = 'API key not valid. Please pass a valid API key.'
  return {
    code: 400,
    message,
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
      { '@type': 'type.googleapis.com/google.rpc.LocalizedMessage', locale: 'en-US', message },
    ],
  }
}

export function apiKeyMissing(): WireError {
  return {
    code: 403,
    message:
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    status: 'PERMISSION_DENIED',
  }
}

export function modelNotFound(model: string, version: string): WireError {
  return {
    code: 404,
    message: `models/${model} is not found for API version ${version}, or is not supported for generateContent. Call ModelService.ListModels to see the list of available models and their supported methods.`,
    status: 'NOT_FOUND',
  }
}

export function quotaExhausted(): WireError {
  return {
    code: 429,
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\nPlease retry in 26s.',
    status: 'RESOURCE_EXHAUSTED',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [
          {
            quotaMetric: 'generativelanguage.googleapis.com/generate_content_paid_tier_requests',
            quotaId: 'GenerateRequestsPerMinutePerProjectPerModel',
          },
        ],
      },
      {
        '@type': 'type.googleapis.com/google.rpc.Help',
        links: [{ description: 'Learn more about Gemini API quotas', url: 'https://ai.google.dev/gemini-api/docs/rate-limits' }],
      },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '26s' },
    ],
  }
}

export function internalError(): WireError {
  return {
    code: 500,
    message:
      'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    status: 'INTERNAL',
  }
}

export function unavailable(): WireError {
  return {
    code: 503,
    message: 'This model is currently experiencing high demand. Spikes in demand are usually temporary. Please try again later.',
    status: 'UNAVAILABLE',
  }
}
