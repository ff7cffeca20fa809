import { EXAMPLES } from './examples.ts'
import { errorResponses, headers, type Json, jsonContent, type Operation, type Paths } from './operation.ts'

const IMAGES = '/v1/images/generations'
const QUOTE_EXAMPLE = { endpoint: IMAGES, request: EXAMPLES[IMAGES].request }

const free = { security: [] }
const everywhere = errorResponses('ErrorBody', 405, 429)

/** The routes that never ask for a payment. */
export function freePaths(): Paths {
  return {
    '/v1/models': { get: catalogRead('listModels', 'Models and categories on offer', 'ModelCatalog') },
    '/v1/pricing': { get: catalogRead('listPrices', 'Prices, and how each is computed', 'PricingCatalog') },
    '/v1/audio/voices': { get: catalogRead('listVoices', 'Voices for speech', 'VoiceList') },
    '/v1/balance': { get: balance() },
    '/v1/quote': { post: quote() },
    '/v1/receipts/{id}': { get: receipt() },
    '/v1/media/{capability}': { get: media('getMedia', true), head: media('headMedia', false) },
    '/.well-known/x402': {
      get: { ...plain('describePayments', 'The paid resources and how to pay for them', 'X402Document'), tags: ['Discovery'] },
    },
    '/.well-known/jwks.json': {
      get: {
        ...plain('listReceiptKeys', 'The keys that sign receipts', 'JsonWebKeySet'),
        tags: ['Receipts'],
        responses: {
          ...plain('listReceiptKeys', '', 'JsonWebKeySet').responses,
          ...errorResponses('ErrorBody', 503),
        },
      },
    },
    '/': {
      get: { ...text('findDocumentation', 'To /docs for a browser, to /llms.txt for everybody else'), responses: redirect() },
    },
    '/docs': { get: text('readGuide', 'The guide for people, with the error catalogue', 'text/html') },
    '/docs/reference': { get: text('readReference', 'This document, in a viewer', 'text/html') },
    '/llms.txt': { get: text('readGuideForAgents', 'The guide in short, for agents', 'text/plain') },
    '/openapi.json': { get: { ...plain('describeApi', 'This document', 'OpenApiDocument'), tags: ['Discovery'] } },
    '/healthz': { get: { ...plain('isAlive', 'Whether the gateway is alive', 'Health'), tags: ['Health'] } },
    '/readyz': {
      get: {
        ...free,
        tags: ['Health'],
        operationId: 'isReady',
        summary: 'Whether paid requests are taken, with the state of each dependency',
        responses: {
          200: { description: 'Ready.', headers: headers(), content: jsonContent('Readiness') },
          503: { description: 'A dependency is away.', headers: headers(), content: jsonContent('Readiness') },
          ...errorResponses('ErrorBody', 405),
        },
      },
    },
  }
}

function plain(operationId: string, summary: string, schema: string): Operation {
  return {
    ...free,
    operationId,
    summary,
    responses: { 200: { description: 'OK', headers: headers(), content: jsonContent(schema) }, ...everywhere },
  }
}

/** What is read, not parsed. */
function text(operationId: string, summary: string, type = 'text/plain'): Operation {
  return {
    ...free,
    tags: ['Discovery'],
    operationId,
    summary,
    parameters: [ifNoneMatch()],
    responses: {
      200: { description: 'OK', headers: headers('ETag'), content: { [type]: { schema: { type: 'string' } } } },
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
      ...everywhere,
    },
  }
}

function redirect(): Operation['responses'] {
  return { 302: { description: 'By the Accept header.', headers: headers() }, ...everywhere }
}

function catalogRead(operationId: string, summary: string, schema: string): Operation {
  return {
    ...free,
    tags: ['Discovery'],
    operationId,
    summary,
    parameters: [ifNoneMatch()],
    responses: {
      200: { description: 'OK', headers: headers('ETag'), content: jsonContent(schema) },
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
      ...everywhere,
    },
  }
}

function balance(): Operation {
  return {
    ...free,
    tags: ['Discovery'],
    operationId: 'readBalance',
    summary: 'What a wallet holds, live from the chain',
    description: 'Asks for no signature and connects to no wallet.',
    parameters: [
      {
        name: 'address',
        in: 'query',
        required: true,
        description: 'A wallet on Base.',
        schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
      },
    ],
    responses: {
      200: { description: 'OK', headers: headers(), content: jsonContent('WalletBalance') },
      ...errorResponses('ErrorBody', 400, 503),
      ...everywhere,
    },
  }
}

function quote(): Operation {
  return {
    ...free,
    tags: ['Discovery'],
    operationId: 'quoteRequest',
    summary: 'The price of a request, line by line',
    description:
      'Binds and charges nothing. What is wrong with the request, or cannot be served now, is said as on its endpoint. A transcription may give `audio_duration_ms` in place of its audio.',
    requestBody: { required: true, content: jsonContent('QuoteRequest', QUOTE_EXAMPLE) },
    responses: {
      200: { description: 'OK', headers: headers('X-Catalog-Version'), content: jsonContent('Quote') },
      ...errorResponses('ErrorBody', 400, 413, 415, 503),
      ...everywhere,
    },
  }
}

function receipt(): Operation {
  return {
    security: [{ receiptToken: [] }],
    tags: ['Receipts'],
    operationId: 'readReceipt',
    summary: 'The receipt of a paid request',
    description: 'A wrong token and an unknown id are the same 404.',
    parameters: [{ name: 'id', in: 'path', required: true, description: 'X-Receipt-ID', schema: { type: 'string' } }],
    responses: {
      200: { description: 'OK', headers: headers(), content: jsonContent('Receipt') },
      ...errorResponses('ErrorBody', 401, 404, 503),
      ...everywhere,
    },
  }
}

function media(operationId: string, withBody: boolean): Operation {
  const bytes = (status: string): Json => ({
    description: status,
    headers: headers('ETag'),
    ...(withBody
      ? {
          content: Object.fromEntries(['image/png', 'image/jpeg', 'audio/mpeg'].map((type) => [type, { schema: {} }])),
        }
      : {}),
  })
  const errors = errorResponses('ErrorBody', 404, 405, 410, 429, 503)
  return {
    ...free,
    tags: ['Media'],
    operationId,
    summary: withBody ? 'A hosted file' : 'The headers of a hosted file',
    description: 'The address is the capability: whoever has it may read the file until it expires.',
    parameters: [
      { name: 'capability', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'Range', in: 'header', required: false, schema: { type: 'string' }, example: 'bytes=0-1023' },
      ifNoneMatch(),
    ],
    responses: {
      200: bytes('The file.'),
      206: bytes('The part that was asked for.'),
      304: { description: 'Nothing has changed since.', headers: headers('ETag') },
      302: { description: 'To a short-lived address of the same file, where the operator uses a CDN.', headers: headers() },
      416: { description: 'The file has no such part.', headers: headers() },
      ...(withBody
        ? errors
        : Object.fromEntries(Object.entries(errors).map(([status, { content: _, ...rest }]) => [status, rest as Json]))),
    },
  }
}

function ifNoneMatch(): Json {
  return {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'An ETag that is there already.',
    schema: { type: 'string' },
  }
}
