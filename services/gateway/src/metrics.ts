import type { ErrorCode } from '@turnpike/contracts'
import { createMetrics } from '@turnpike/service'
import { type CounterSeries, GATEWAY_METRICS, type HistogramSeries, ROUTES } from '@turnpike/telemetry/metrics'

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>

/** The gateway's table, opened, with short ways for what every request counts. */
export function gatewayMetrics() {
  const metrics = createMetrics('gateway')
  const table = metrics.open(GATEWAY_METRICS)
  const challenged = table.funnel.series({ step: 'challenged' })
  const unsigned = new Map<ErrorCode, CounterSeries>()
  const answers = answerSeries(table)
  let inFlight = 0
  table.requestsInFlight.readBy((gauge) => gauge.set({}, inFlight))
  return {
    ...metrics,
    ...table,
    challenged: () => challenged.inc(),
    refused(code: ErrorCode, isSigned: boolean): void {
      if (isSigned) return table.refusals.count({ code, signed: 'yes' })
      const known = unsigned.get(code)
      if (known !== undefined) return known.inc()
      const series = table.refusals.series({ code, signed: 'no' })
      unsigned.set(code, series)
      series.inc()
    },
    /** Counts a request from now until `ended`. */
    begun(): void {
      inFlight += 1
    },
    /** `status` is undefined when the client left before its answer. */
    ended(route: string, status: number | undefined, seconds: number): void {
      inFlight -= 1
      const { count, time } = answers(route, status)
      count.inc()
      time.observe(seconds)
    },
  }
}

type Answer = { count: CounterSeries; time: HistogramSeries }

/** Two steps of plain objects and small integers: this is asked by every request. */
function answerSeries(table: {
  requests: { series(values: { route: string; status: string }): CounterSeries }
  duration: { series(values: { route: string; answer: string }): HistogramSeries }
}): (route: string, status: number | undefined) => Answer {
  const known = new Map<string, Map<number, Answer>>(ROUTES.map((route) => [route, new Map()]))
  const others = new Map<number, Answer>()
  return (route, status = 0) => {
    const ofRoute = known.get(route) ?? others
    const there = ofRoute.get(status)
    if (there !== undefined) return there
    const fresh = {
      count: table.requests.series({ route, status: status === 0 ? 'gone' : String(status) }),
      time: table.duration.series({ route, answer: classOf(status) }),
    }
    ofRoute.set(status, fresh)
    return fresh
  }
}

function classOf(status: number): string {
  if (status === 0) return 'gone'
  return status === 402 ? '402' : `${Math.floor(status / 100)}xx`
}
