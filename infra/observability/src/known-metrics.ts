import { METRICS_OF_SERVICES, type MetricDefinition, OTHER } from '@turnpike/telemetry/metrics'

/** A metric as Prometheus has it: its series' names, and each label's values (null: anything). */
export type KnownMetric = { labels: Readonly<Record<string, readonly string[] | null>> }

/** What comes from elsewhere and is relied upon: Prometheus itself, and Node's metrics by prom-client. */
const NOT_OURS: Readonly<Record<string, readonly string[]>> = {
  up: [],
  process_cpu_seconds_total: [],
  process_resident_memory_bytes: [],
  process_open_fds: [],
  process_start_time_seconds: [],
  nodejs_heap_size_used_bytes: [],
  nodejs_eventloop_lag_p50_seconds: [],
  nodejs_eventloop_lag_p99_seconds: [],
  nodejs_gc_duration_seconds_sum: ['kind'],
}

const SERVICES = Object.keys(METRICS_OF_SERVICES)
/** Set by whoever scrapes. */
const FROM_SCRAPING = { instance: null, job: null, service: SERVICES } as const

export function knownMetrics(): Map<string, KnownMetric> {
  const known = new Map<string, KnownMetric>()
  for (const [name, labels] of Object.entries(NOT_OURS)) {
    known.set(name, { labels: { ...FROM_SCRAPING, ...Object.fromEntries(labels.map((label) => [label, null])) } })
  }
  for (const tables of Object.values(METRICS_OF_SERVICES)) {
    for (const definition of tables.flatMap((table) => Object.values(table))) {
      for (const [name, extra] of seriesOf(definition)) known.set(name, { labels: { ...labelsOf(definition), ...extra } })
    }
  }
  return known
}

function labelsOf({ labels }: MetricDefinition): Record<string, readonly string[] | null> {
  const own = Object.entries<readonly string[]>(labels).map(([label, values]) => [label, [...values, OTHER]] as const)
  return { ...FROM_SCRAPING, ...Object.fromEntries(own) }
}

function seriesOf({ kind, name }: MetricDefinition): [name: string, extra: Record<string, null>][] {
  if (kind !== 'histogram') return [[name, {}]]
  return [
    [`${name}_bucket`, { le: null }],
    [`${name}_sum`, {}],
    [`${name}_count`, {}],
  ]
}
