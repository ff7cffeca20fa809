import { INPUT_TOKEN_TABLES_PATH, INPUT_TOKEN_TABLES_TEXT } from '@turnpike/catalog'
import Negotiator from 'negotiator'
import type { AppDeps } from '../app-deps.ts'
import { PAID } from '../endpoints/paid-endpoints.ts'
import type { Handler } from '../http/call.ts'
import { send } from '../http/send-answer.ts'
import { staticAnswer, staticJson } from '../http/static-answer.ts'
import { apiDocument } from './api-document.ts'
import { llmsTxt } from './llms-txt.ts'
import { x402Document } from './x402-document.ts'

/** The catalog changes with the configuration, so with the process: a client may trust what it has for a minute. */
const MAX_AGE_S = 60
/** The path holds the hash of what stands there. */
const FOREVER_S = 31_536_000

/** What a person or an agent reads before paying: everything that stays the same while the process lives. */
export function discoveryRoutes(deps: AppDeps): readonly (readonly [path: string, handler: Handler])[] {
  const { catalog, publicBaseUrl } = deps
  const endpoints = PAID.filter(({ path }) => catalog.offersEndpoint(path))
  const textFile = (body: string) => staticAnswer({ body, contentType: 'text/plain; charset=utf-8', maxAgeS: MAX_AGE_S })
  return [
    ['/v1/models', staticJson(catalog.models, MAX_AGE_S)],
    ['/v1/pricing', staticJson(catalog.pricing, MAX_AGE_S)],
    [
      INPUT_TOKEN_TABLES_PATH,
      staticAnswer({ body: INPUT_TOKEN_TABLES_TEXT, contentType: 'application/json', maxAgeS: FOREVER_S }),
    ],
    ['/v1/audio/voices', staticJson(catalog.voices, MAX_AGE_S)],
    ['/openapi.json', staticJson(apiDocument({ publicBaseUrl, models: catalog.offered, endpoints }), MAX_AGE_S)],
    ['/.well-known/x402', staticJson(x402Document({ publicBaseUrl, payTo: deps.payTo, endpoints }), MAX_AGE_S)],
    ['/llms.txt', textFile(llmsTxt({ publicBaseUrl, endpoints }))],
    ['/robots.txt', textFile('User-agent: *\nDisallow: /v1/media/\nDisallow: /v1/receipts/\n')],
    ['/', front(publicBaseUrl)],
  ]
}

/** A browser is led to the page for people, whoever asks for JSON or anything else to the index for machines. */
function front(publicBaseUrl: string): Handler {
  return (request, response, call) => {
    const wanted = new Negotiator(request).mediaTypes(['text/html', 'application/json', 'text/plain'])[0]
    const path = wanted === 'text/html' && request.headers.accept?.includes('text/html') ? '/docs' : '/llms.txt'
    send(response, call, '', {
      status: 302,
      headers: { location: `${publicBaseUrl}${path}`, vary: 'Accept', 'cache-control': 'no-cache' },
    })
  }
}
