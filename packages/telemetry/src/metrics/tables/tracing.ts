import { counter } from '../metric-table.ts'

/** Of every service; nothing is counted while tracing is off. */
export const TRACING_METRICS = {
  spans: counter(
    'turnpike_trace_spans_total',
    'Spans of sampled traces that were handed to the collector, by whether it took them.',
    {
      result: ['exported', 'failed'],
    },
  ),
}
