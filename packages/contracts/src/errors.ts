// Every error that a client can meet is a row here; every dialect's envelope is derived from its row.

export type Charged = 'no' | 'yes' | 'unknown'
export type ErrorRow = {
  status: 400 | 401 | 402 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 416 | 429 | 500 | 503
  charged: Charged
  /** A retry of the same request may succeed without a change. Becomes `x-should-retry`. */
  retryable: boolean
  /** Seconds; sent as `Retry-After` where a retry can help, unless the place that raises the error knows better. */
  retryAfterS?: number
  message: string
}

const no = 'no' as const
const row = (status: ErrorRow['status'], message: string): ErrorRow => ({ status, charged: no, retryable: false, message })
const retry = (status: ErrorRow['status'], retryAfterS: number, message: string): ErrorRow => ({
  status,
  charged: no,
  retryable: true,
  retryAfterS,
  message,
})

export const ERRORS = {
  // The request itself
  malformed_http: row(400, 'The request is not well-formed HTTP, or has headers beyond 64 KiB.'),
  request_timeout: retry(408, 1, 'The request did not arrive in time, so nobody looked at it. Send it again under the same key.'),
  unsupported_media_type: row(415, 'Send the body as application/json in UTF-8.'),
  payload_too_large: row(413, 'The body is larger than this endpoint takes.'),
  invalid_json: row(400, 'The body is not valid JSON. Nothing was charged; the payment may be used with the corrected request.'),
  invalid_multipart: row(400, 'The body is not well-formed multipart/form-data with each field at most once.'),
  missing_required_field: row(400, 'A required field is missing.'),
  invalid_value: row(400, 'A field has a value outside its range or of the wrong type.'),
  unsupported_field: row(400, 'This field is not supported here. Remove it and send the request again.'),
  unsupported_value: row(400, 'This value is not supported here.'),
  invalid_audio: row(400, 'The audio is not one complete MP3.'),
  audio_too_large: row(400, 'The audio has more bytes than the model takes.'),
  audio_too_long: row(400, 'The audio is longer than the model takes.'),
  audio_too_short: row(400, 'The audio is shorter than the model takes.'),
  model_not_available: row(400, 'This model is not offered. GET /v1/models lists those that are.'),
  context_length_exceeded: row(400, "The request is larger than the model's context."),
  idempotency_key_required: row(400, 'Send an x-idempotency-key header: one fresh value per request, kept over its retries.'),
  idempotency_key_invalid: row(400, 'x-idempotency-key must be 1 to 255 visible ASCII characters.'),
  idempotency_key_reused: row(409, 'This idempotency key belongs to another request. Use a fresh key for a new request.'),
  idempotency_in_progress: {
    ...retry(409, 5, 'The request under this key is still being worked on. Send it again to collect its result.'),
    charged: 'unknown',
  },
  idempotency_result_expired: {
    ...row(409, 'The result under this key was kept for 7 days and is gone. It is never charged again; use a fresh key.'),
    charged: 'yes',
  },
  not_found: row(404, 'There is nothing at this address.'),
  receipt_not_found: row(404, 'There is no receipt with this id and token.'),
  media_not_found: row(404, 'There is no hosted file at this address. Check that it is whole: it is the key to the file.'),
  media_expired: row(410, 'This hosted file was kept until its published expiry and is gone.'),
  range_not_satisfiable: row(416, 'The file ends before the range that was asked for.'),
  receipt_token_required: row(401, 'Send the X-Receipt-Token of the response as "Authorization: Bearer <token>".'),
  method_not_allowed: row(405, 'This address does not take this method.'),
  rate_limited: retry(429, 5, 'Too many requests from this client.'),

  // The payment, before any work
  payment_required: row(402, 'Sign the payment in the PAYMENT-REQUIRED header and send the same request again with it.'),
  inspection: row(
    402,
    'This challenge is for inspection only and must not be signed. Send a complete body to get its exact price.',
  ),
  payment_header_malformed: row(400, 'PAYMENT-SIGNATURE is not the Base64 of an x402 version 2 exact payment.'),
  payment_mismatch: row(402, 'The payment does not match the price, recipient, asset or network of this request.'),
  inspection_payment_refused: row(
    402,
    'The payment was made for an inspection challenge. Sign the challenge of the complete request instead.',
  ),
  payment_signature_invalid: row(402, 'The payment signature does not belong to its payer.'),
  payment_rejected: row(402, 'The payment was rejected by the facilitator.'),
  payment_already_used: row(402, 'This payment belongs to another request. Sign a new one for this request.'),
  authorization_expires_too_soon: row(402, 'The authorization expires before the work could be paid. Sign a new one.'),
  authorization_not_yet_valid: row(402, 'The authorization is not valid yet. Sign a new one.'),
  authorization_expires_too_late: row(402, 'The authorization is valid for more than one hour. Sign a shorter one.'),
  insufficient_funds: row(402, 'The balance of the payer does not cover this request and what it has in flight.'),
  exposure_limit: retry(429, 10, 'Too much unsettled value is in flight. Try again when earlier requests have settled.'),
  refused_by_policy: row(400, 'The request was refused by policy.'),

  // After work
  settlement_failed: row(
    402,
    'The payment could not be settled. Sign a new one: the stored result is released without running again.',
  ),
  settlement_pending: {
    ...retry(503, 2, 'The settlement is not decided yet. Send the same request again: it is never charged twice.'),
    charged: 'unknown',
  },

  // The provider
  provider_unavailable: retry(
    503,
    5,
    'The model could not be reached. Nothing was charged; the same payment may be sent again under the same key.',
  ),
  provider_overloaded: retry(
    503,
    10,
    'The model is overloaded. Nothing was charged; the same payment may be sent again under the same key.',
  ),
  provider_unusable_answer: retry(
    503,
    2,
    'The model gave an answer that cannot be used. Nothing was charged; the same payment may be sent again under the same key.',
  ),
  provider_rejected_request: row(400, 'The model does not accept this request. Nothing was charged.'),
  provider_outcome_unknown: row(
    503,
    'It is not known whether the model ran. Nothing was charged and nothing will be; send the request again under a new key.',
  ),
  deadline_passed: retry(
    503,
    2,
    'The request could not be started in time. Nothing was charged; the same payment may be sent again under the same key.',
  ),
  job_unreadable: row(503, 'The request could not be read back for execution. Nothing was charged; send it again.'),
  content_blocked: row(400, 'The model refused to produce this content. Nothing was charged.'),
  image_unavailable: row(400, 'An image in the request could not be fetched. Nothing was charged.'),

  // The service
  dependency_unavailable: retry(
    503,
    5,
    'A part of the service is away, so the request could not be served. Nothing was charged.',
  ),
  overloaded: retry(503, 5, 'Too much work is in flight. Nothing was charged.'),
  balance_unavailable: retry(503, 3, 'The balance cannot be looked up at the moment. Ask again.'),
  safety_unavailable: retry(
    503,
    10,
    'A safety check of the operator is away, so the request was not served. Nothing was charged.',
  ),
  internal_error: {
    ...row(500, 'An unexpected fault, which is a defect. Quote the request id when you report it.'),
    charged: 'unknown',
  },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

export function errorRow(code: ErrorCode): ErrorRow {
  return ERRORS[code]
}

/** The parts of an error that differ from its row. */
export type Problem = {
  code: ErrorCode
  message?: string
  param?: string | null
  retryAfterS?: number
  charged?: Charged
  receiptUrl?: string
}

const OPENAI_TYPE: Record<ErrorRow['status'], string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'payment_required',
  404: 'invalid_request_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'conflict_error',
  410: 'invalid_request_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  416: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'server_error',
}

const ANTHROPIC_TYPE: Record<ErrorRow['status'], string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'invalid_request_error',
  410: 'not_found_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  416: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
}

export type ErrorMembers = { code: ErrorCode; charged: Charged; retryable: boolean; doc_url: string; receipt_url?: string }

/** The members that every error carries, in whatever envelope. */
export function errorMembers(problem: Problem, docsUrl: string): ErrorMembers {
  const { charged, retryable } = errorRow(problem.code)
  const members: ErrorMembers = {
    code: problem.code,
    charged: problem.charged ?? charged,
    retryable,
    doc_url: `${docsUrl}#${problem.code}`,
  }
  return problem.receiptUrl === undefined ? members : { ...members, receipt_url: problem.receiptUrl }
}

/** The OpenAI shape on every endpoint but /v1/messages, which has Anthropic's. Not for 402, whose body the interface fixes. */
export function errorEnvelope(problem: Problem, context: { path: string; requestId: string; docsUrl: string }): object {
  const { status, message } = errorRow(problem.code)
  const text = problem.message ?? message
  const members = errorMembers(problem, context.docsUrl)
  if (context.path === '/v1/messages') {
    return { type: 'error', error: { type: ANTHROPIC_TYPE[status], message: text, ...members }, request_id: context.requestId }
  }
  return {
    error: { message: text, type: OPENAI_TYPE[status], param: problem.param ?? null, ...members },
    request_id: context.requestId,
  }
}
