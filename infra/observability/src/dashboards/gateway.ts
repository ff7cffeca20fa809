import { type Dashboard, perSecond, quantile } from './panel.ts'

export const GATEWAY: Dashboard = {
  uid: 'turnpike-gateway',
  title: 'Turnpike: gateway and processes',
  says: 'What the gateways hold and wait for, and what every process uses.',
  rows: [
    {
      title: 'Gateway',
      panels: [
        {
          title: 'Admitted',
          says: 'Requests whose client waits, and how many may.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum by (instance) (turnpike_in_flight)', legend: '{{instance}}' },
            { expr: 'max(turnpike_in_flight_ceiling)', legend: 'ceiling of each' },
          ],
        },
        {
          title: 'Requests in flight',
          says: 'Of all kinds, unpaid ones too.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (instance) (turnpike_http_requests_in_flight)', legend: '{{instance}}' }],
        },
        {
          title: 'Dependencies',
          says: '1 while it answers.',
          kind: 'lines',
          unit: 'none',
          queries: [{ expr: 'min by (dependency) (turnpike_dependency_up)', legend: '{{dependency}}' }],
        },
        {
          title: 'Look-ups at the ledger',
          says: 'Time of a batch, and how many wait for one. Every request needs one.',
          kind: 'lines',
          unit: 's',
          queries: [0.5, 0.99].map((q) => ({ expr: quantile(q, 'turnpike_ledger_lookup_seconds'), legend: `p${q * 100}` })),
        },
        {
          title: 'Look-ups waiting',
          says: 'For a call to the ledger.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (instance) (turnpike_ledger_lookups_waiting)', legend: '{{instance}}' }],
        },
        {
          title: 'Word of the facilitator',
          says: 'On payments, by what it was; 95 %.',
          kind: 'lines',
          unit: 's',
          queries: [{ expr: quantile(0.95, 'turnpike_verification_seconds', ['result']), legend: '{{result}}' }],
        },
        {
          title: 'Request bodies in memory',
          says: 'Large ones have room before they are read, small ones take theirs as they come.',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            { expr: 'sum by (instance) (turnpike_large_body_bytes)', legend: '{{instance}} large' },
            { expr: 'sum by (instance) (turnpike_small_body_bytes)', legend: '{{instance}} small' },
          ],
        },
        {
          title: 'Uploads waiting',
          says: 'Large ones that wait for room in memory.',
          kind: 'lines',
          unit: 'short',
          alarm: 64,
          queries: [{ expr: 'sum by (instance) (turnpike_large_bodies_waiting)', legend: '{{instance}}' }],
        },
        {
          title: 'Hosted files',
          says: 'Being sent, and how sending ended.',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: 'sum(turnpike_media_downloads_running)', legend: 'running' },
            { expr: perSecond('turnpike_media_downloads_total', ['end']), legend: '{{end}} per s' },
          ],
        },
        {
          title: 'Spans to the collector',
          says: 'Nothing while tracing is off.',
          kind: 'lines',
          unit: 'ops',
          queries: [{ expr: perSecond('turnpike_trace_spans_total', ['result']), legend: '{{result}}' }],
        },
      ],
    },
    {
      title: 'Processes',
      panels: [
        {
          title: 'Processor',
          says: 'Cores, by process. One Node process hardly uses more than one.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'rate(process_cpu_seconds_total[$__rate_interval])', legend: '{{service}} {{instance}}' }],
        },
        {
          title: 'Memory',
          says: 'Resident memory, by process.',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: 'process_resident_memory_bytes', legend: '{{service}} {{instance}}' }],
        },
        {
          title: 'Event-loop delay, 99 %',
          says: 'How long a process lets its next task wait.',
          kind: 'lines',
          unit: 's',
          alarm: 0.25,
          queries: [{ expr: 'max by (service) (nodejs_eventloop_lag_p99_seconds)', legend: '{{service}}' }],
        },
        {
          title: 'Garbage collection',
          says: 'Seconds of each second.',
          kind: 'lines',
          unit: 'percentunit',
          queries: [{ expr: 'sum by (service) (rate(nodejs_gc_duration_seconds_sum[$__rate_interval]))', legend: '{{service}}' }],
        },
        {
          title: 'Open files',
          says: 'Sockets included.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'process_open_fds', legend: '{{service}} {{instance}}' }],
        },
        {
          title: 'Up',
          says: 'Replicas that answer their scrapes.',
          kind: 'lines',
          unit: 'short',
          queries: [{ expr: 'sum by (service) (up)', legend: '{{service}}' }],
        },
      ],
    },
  ],
}
