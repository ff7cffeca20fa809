import { ERRORS, MODELS, PAID_ENDPOINTS } from '@turnpike/contracts'
import { counter, gauge, histogram } from '../metric-table.ts'

/** Every address of the gateway as its router knows it; never a path with a capability or an id in it. */
export const ROUTES = [
  ...PAID_ENDPOINTS,
  '/v1/quote',
  '/v1/models',
  '/v1/pricing',
  '/v1/audio/voices',
  '/v1/balance',
  '/v1/media/:capability',
  '/v1/receipts/:id',
  '/.well-known/jwks.json',
  '/.well-known/x402',
  '/openapi.json',
  '/llms.txt',
  '/robots.txt',
  '/',
  '/docs',
  '/docs/reference',
  '/healthz',
  '/readyz',
  'unmatched',
] as const

const ERROR_STATUSES = Object.values(ERRORS).map(({ status }) => String(status))
/** `gone`: the client left before its answer. */
const STATUSES = [...new Set(['200', '204', '206', '302', '304', ...ERROR_STATUSES, 'gone'])].sort()
const CODES = Object.keys(ERRORS)

/** A challenge, a paid answer and a refusal take very different times: they are told apart. */
export const ANSWER_CLASSES = ['2xx', '3xx', '402', '4xx', '5xx', 'gone'] as const

/** In the order in which a paid request goes through them; not all of them do. */
export const FUNNEL_STEPS = ['challenged', 'signed', 'verified', 'admitted', 'released', 'joined', 'replayed'] as const

export const DEPENDENCIES = ['kafka', 'redis', 'ledger', 's3', 'facilitator'] as const

export const GATEWAY_METRICS = {
  requests: counter('turnpike_http_requests_total', 'Requests answered, by route and status.', {
    route: ROUTES,
    status: STATUSES,
  }),
  duration: histogram('turnpike_http_request_seconds', 'From the first byte of a request to the end of its answer.', {
    route: ROUTES,
    answer: ANSWER_CLASSES,
  }),
  requestsInFlight: gauge('turnpike_http_requests_in_flight', 'Requests whose answer has not ended.'),
  refusals: counter(
    'turnpike_refusals_total',
    'Errors and challenges of the paid endpoints, by code and whether a payment came along.',
    {
      code: CODES,
      signed: ['yes', 'no'],
    },
  ),
  funnel: counter(
    'turnpike_payment_funnel_total',
    'Steps of the paid lifecycle: a price was named, a signed request came, the facilitator found it good, its job was published, its answer was released. Joined and replayed ones skip the middle.',
    { step: FUNNEL_STEPS },
  ),
  admission: histogram(
    'turnpike_admission_seconds',
    'From a signed request that nobody knows to its job in Kafka: signature, facilitator, claims, publication.',
  ),
  verification: histogram('turnpike_verification_seconds', "Time for the facilitator's word on a payment, by what it was.", {
    result: ['valid', 'rejected', 'unavailable'],
  }),
  admitted: gauge('turnpike_in_flight', 'Admitted requests whose client waits here.'),
  admittedCeiling: gauge(
    'turnpike_in_flight_ceiling',
    'Beyond this many admitted requests new ones are refused (MAX_IN_FLIGHT).',
  ),
  dependencyUp: gauge('turnpike_dependency_up', '1 while the dependency answers; at 0 nothing new is admitted.', {
    dependency: DEPENDENCIES,
  }),
  modelClosed: gauge('turnpike_model_closed', '1 while no upstream serves the model, so that it is not sold.', { model: MODELS }),
  exposure: gauge(
    'turnpike_exposure_usdc',
    'Value of all work that is in flight or done and not paid, in USDC, as admission counts it in Redis. Every gateway says the same: take the maximum.',
  ),
  exposureCeiling: gauge(
    'turnpike_exposure_ceiling_usdc',
    'Beyond this exposure nothing is admitted (TOTAL_EXPOSURE_CEILING_ATOMIC).',
  ),
  largeBodyBytes: gauge('turnpike_large_body_bytes', 'Room that large request bodies hold.'),
  largeBodiesWaiting: gauge('turnpike_large_bodies_waiting', 'Large request bodies that wait for room.'),
  smallBodyBytes: gauge('turnpike_small_body_bytes', 'Memory that small request bodies hold.'),
  lookupsWaiting: gauge('turnpike_ledger_lookups_waiting', 'Look-ups that wait for a call to the ledger.'),
  lookupWait: histogram(
    'turnpike_ledger_lookup_seconds',
    "Time for a batch of look-ups at the ledger, as the batch's callers see it.",
    {
      result: ['answered', 'failed'],
    },
  ),
  mediaDownloads: counter('turnpike_media_downloads_total', 'Hosted files sent, by how that ended.', {
    end: ['complete', 'client_gone'],
  }),
  mediaDownloadsRunning: gauge('turnpike_media_downloads_running', 'Hosted files that are being sent.'),
}
