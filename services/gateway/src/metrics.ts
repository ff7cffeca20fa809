import { createMetrics, type Metrics } from '@turnpike/service'

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>

/** RED per route, and the payment funnel. Labels come from closed sets: routes of ours, status codes, error codes. */
export function gatewayMetrics() {
  const metrics: Metrics = createMetrics('gateway')
  return {
    ...metrics,
    requests: metrics.counter('turnpike_http_requests_total', 'Requests answered', ['route', 'status']),
    duration: metrics.histogram('turnpike_http_request_seconds', 'Time to the answer', ['route']),
    admission: metrics.histogram('turnpike_admission_seconds', 'From a signed request that nobody knows to its job in Kafka'),
    funnel: metrics.counter('turnpike_payment_funnel_total', 'Steps of the paid lifecycle', ['step']),
    mediaDownloads: metrics.counter('turnpike_media_downloads_total', 'Hosted files sent, by how that ended', ['end']),
    refusals: metrics.counter('turnpike_refusals_total', 'Errors answered, by code', ['code']),
  }
}
