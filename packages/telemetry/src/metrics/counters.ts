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

const FEW = 8

/** Every combination of label values, or none when there are many. */
function fewCombinations<Label extends string>(labels: Readonly<Record<Label, readonly string[]>>): LabelValues<Label>[] {
  const entries = Object.entries<readonly string[]>(labels)
  const count = entries.reduce((product, [, values]) => product * values.length, 1)
  if (count > FEW) return []
  return entries.reduce<Record<string, string>[]>(
    (made, [label, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  ) as LabelValues<Label>[]
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
  // There from the start where that is few: a counter that begins at 1 hides its first increase from increase() and rate().
  for (const values of fewCombinations(definition.labels)) series(values)
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
