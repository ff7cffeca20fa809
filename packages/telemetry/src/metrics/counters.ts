import { type LabelValues, labelFold } from './label-fold.ts'
import type { MetricDefinition } from './metric-table.ts'
import type { Sample } from './sample.ts'

/** One series of a counter. A plain number: it is read when somebody scrapes. */
export class CounterSeries {
  value = 0

  inc(amount = 1): void {
    this.value += amount
  }
}

export type Counter<Label extends string> = {
  /** For a place that counts often: finding the series once costs more than counting. */
  series(values: LabelValues<Label>): CounterSeries
  count(values: LabelValues<Label>, amount?: number): void
  /** Shows a total that somebody else keeps, as it is when somebody scrapes. */
  follow(values: LabelValues<Label>, total: () => number): void
}

export function openCounter<Label extends string>(definition: MetricDefinition<'counter', Label>) {
  const fold = labelFold(definition.labels)
  const known = new Map<string, { labels: Record<Label, string>; series: CounterSeries }>()
  const series = (values: LabelValues<Label>) => {
    const { key, labels } = fold(values)
    const there = known.get(key)
    if (there !== undefined) return there.series
    const fresh = new CounterSeries()
    known.set(key, { labels, series: fresh })
    return fresh
  }
  // Without labels it is there from the start: a counter that begins at 1 hides its first increase.
  if (Object.keys(definition.labels).length === 0) series({} as LabelValues<Label>)
  const followed: (() => void)[] = []
  const counter: Counter<Label> = {
    series,
    count: (values, amount) => series(values).inc(amount),
    follow(values, total) {
      const shown = series(values)
      followed.push(() => {
        shown.value = total()
      })
    },
  }
  const read = async (): Promise<Sample[]> => {
    for (const look of followed) look()
    return [...known.values()].map((each) => ({ labels: each.labels, value: each.series.value }))
  }
  return { instrument: counter, read }
}
