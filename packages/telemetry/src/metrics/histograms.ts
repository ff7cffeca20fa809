import { type LabelValues, labelFold } from './label-fold.ts'
import type { MetricDefinition } from './metric-table.ts'
import type { Sample } from './sample.ts'

/** One series of a histogram: a short search and two additions per observation. */
export class HistogramSeries {
  readonly bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let place = 0
    while (place < this.bounds.length && value > (this.bounds[place] as number)) place += 1
    this.counts[place] = (this.counts[place] as number) + 1
    this.sum += value
  }
}

export type Histogram<Label extends string> = {
  series(values: LabelValues<Label>): HistogramSeries
  observe(values: LabelValues<Label>, value: number): void
}

export function openHistogram<Label extends string>(definition: MetricDefinition<'histogram', Label>) {
  const { name, buckets = [] } = definition
  const fold = labelFold(definition.labels)
  const known = new Map<string, { labels: Record<Label, string>; series: HistogramSeries }>()
  const series = (values: LabelValues<Label>) => {
    const { key, labels } = fold(values)
    const there = known.get(key)
    if (there !== undefined) return there.series
    const fresh = new HistogramSeries(buckets)
    known.set(key, { labels, series: fresh })
    return fresh
  }
  if (Object.keys(definition.labels).length === 0) series({} as LabelValues<Label>)
  const histogram: Histogram<Label> = { series, observe: (values, value) => series(values).observe(value) }
  const read = async (): Promise<Sample[]> => [...known.values()].flatMap((each) => samplesOf(name, each.labels, each.series))
  return { instrument: histogram, read }
}

function samplesOf(name: string, labels: Record<string, string>, { bounds, counts, sum }: HistogramSeries): Sample[] {
  const samples: Sample[] = []
  let total = 0
  for (const [place, count] of counts.entries()) {
    total += count
    samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le: bounds[place] ?? '+Inf' }, value: total })
  }
  samples.push({ metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: total })
  return samples
}
