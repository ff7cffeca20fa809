// The parts of an OpenAPI 3.1 document that the operations are written with.

export type Json = { [key: string]: unknown }
export type Operation = Json & { operationId: string; summary: string; responses: Record<string, Json> }
/** Operations by path and method. */
export type Paths = Record<string, Record<string, Operation>>

export function ref(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` }
}

export function jsonContent(schema: string, example?: unknown): Json {
  return { 'application/json': { schema: ref(schema), ...(example === undefined ? {} : { example }) } }
}

const header = (description: string, schema: Json = { type: 'string' }): Json => ({ description, schema })

const HEADERS = {
  'X-Request-ID': header('Ours, on every response. Quote it when something is wrong.', { type: 'string', format: 'uuid' }),
  'Retry-After': header('Whole seconds after which the same request may be sent again.', { type: 'integer', minimum: 0 }),
  'x-should-retry': header('Whether official clients should retry by themselves.', { type: 'string', enum: ['true', 'false'] }),
  'PAYMENT-REQUIRED': header('Base64 of the x402 v2 payment requirement. Authoritative: sign this, not the body.'),
  'X-Service-Challenge-Kind': header('Present with `inspection` where the challenge must not be signed.', {
    type: 'string',
    const: 'inspection',
  }),
  'X-Receipt-ID': header('Of the receipt: GET /v1/receipts/{id}.', { type: 'string', format: 'uuid' }),
  'X-Receipt-Token': header('Bearer capability for the receipt. Given only here: keep it.'),
  'PAYMENT-RESPONSE': header('Base64 of the x402 settlement response: transaction, network, payer.'),
  'X-Catalog-Version': header('The catalog that the price came from.'),
  'Idempotent-Replayed': header('`true` where the stored response is given again; nothing was charged for it.', {
    type: 'string',
    const: 'true',
  }),
  Allow: header('The methods that this address takes.'),
  'WWW-Authenticate': header('Bearer'),
  ETag: header('Changes when and only when the content does.'),
} as const

export type HeaderName = keyof typeof HEADERS

/** Components of the document; responses refer to them. */
export function headerComponents(): Json {
  return HEADERS
}

export function headers(...names: HeaderName[]): Json {
  const named: HeaderName[] = ['X-Request-ID', ...names]
  return Object.fromEntries(named.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const ERROR_RESPONSES: Record<string, { description: string; headers: HeaderName[] }> = {
  400: {
    description: 'The request is wrong or asks for what is not supported. Nothing was charged.',
    headers: ['x-should-retry'],
  },
  401: { description: 'No bearer token came along.', headers: ['WWW-Authenticate', 'x-should-retry'] },
  404: { description: 'There is nothing here.', headers: ['x-should-retry'] },
  405: { description: 'This address does not take this method.', headers: ['Allow', 'x-should-retry'] },
  408: {
    description: 'The request did not arrive in time, and nobody looked at it.',
    headers: ['Retry-After', 'x-should-retry'],
  },
  409: {
    description: 'The idempotency key belongs to another request, is still being worked on, or its result has expired.',
    headers: ['Retry-After', 'x-should-retry'],
  },
  410: { description: 'The file was here and its time is over.', headers: ['x-should-retry'] },
  413: { description: 'The body is larger than this endpoint takes.', headers: ['x-should-retry'] },
  415: {
    description: 'The content type is not one that this endpoint takes. Said before anything else.',
    headers: ['x-should-retry'],
  },
  429: { description: 'Too many requests, or too much unsettled value.', headers: ['Retry-After', 'x-should-retry'] },
  503: {
    description: 'A provider, payment or safety dependency is away. `charged` says what happened to the payment.',
    headers: ['Retry-After', 'x-should-retry'],
  },
}

/** Errors in the envelope of that schema, by status. */
export function errorResponses(envelope: 'ErrorBody' | 'MessagesErrorBody', ...statuses: number[]): Record<string, Json> {
  return Object.fromEntries(
    statuses.map((status) => {
      const known = ERROR_RESPONSES[status]
      if (known === undefined) throw new Error(`no description of ${status}`)
      return [
        String(status),
        { description: known.description, headers: headers(...known.headers), content: jsonContent(envelope) },
      ]
    }),
  )
}
