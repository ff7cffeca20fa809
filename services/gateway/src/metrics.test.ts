import { describe, expect, it } from 'vitest'
import { gatewayMetrics } from './metrics.ts'

async function lines(metrics: ReturnType<typeof gatewayMetrics>, name: string): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name))
}

describe('what every request counts', () => {
  it('is its route, its status and its time by the kind of its answer', async () => {
    const metrics = gatewayMetrics()
    for (const status of [402, 402, 200, 503]) {
      metrics.begun()
      metrics.ended('/v1/messages', status, 0.004)
    }
    expect(await lines(metrics, 'turnpike_http_requests_total')).toEqual([
      'turnpike_http_requests_total{route="/v1/messages",status="402",service="gateway"} 2',
      'turnpike_http_requests_total{route="/v1/messages",status="200",service="gateway"} 1',
      'turnpike_http_requests_total{route="/v1/messages",status="503",service="gateway"} 1',
    ])
    const counts = await lines(metrics, 'turnpike_http_request_seconds_count')
    expect(counts.map((line) => /answer="(\w+)"/.exec(line)?.[1])).toEqual(['402', '2xx', '5xx'])
    expect(await lines(metrics, 'turnpike_http_requests_in_flight')).toEqual([
      'turnpike_http_requests_in_flight{service="gateway"} 0',
    ])
  })

  it('is told apart when the client left before its answer', async () => {
    const metrics = gatewayMetrics()
    metrics.begun()
    metrics.ended('/v1/messages', undefined, 1)
    expect(await lines(metrics, 'turnpike_http_requests_total')).toEqual([
      'turnpike_http_requests_total{route="/v1/messages",status="gone",service="gateway"} 1',
    ])
  })

  it('makes no series of what strangers send', async () => {
    const metrics = gatewayMetrics()
    for (let n = 0; n < 500; n += 1) {
      metrics.begun()
      metrics.ended(`/v1/media/${n}`, 200 + n, 0.001)
    }
    const shown = await lines(metrics, 'turnpike_http_requests_total')
    expect(shown.every((line) => line.includes('route="other"'))).toBe(true)
    expect(shown.length).toBeLessThan(40)
  })

  it('is why it was refused, and whether it was signed', async () => {
    const metrics = gatewayMetrics()
    metrics.refused('payment_required', false)
    metrics.refused('payment_required', false)
    metrics.refused('insufficient_funds', true)
    expect(await lines(metrics, 'turnpike_refusals_total')).toEqual([
      'turnpike_refusals_total{code="payment_required",signed="no",service="gateway"} 2',
      'turnpike_refusals_total{code="insufficient_funds",signed="yes",service="gateway"} 1',
    ])
  })
})
