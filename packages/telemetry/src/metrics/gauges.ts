import { type LabelValues, labelFold } from './label-fold.ts'
import type { MetricDefinition } from './metric-table.ts'
import type { Sample } from './sample.ts'

export type Gauge<Label extends string> = {
  set(values: LabelValues<Label>, value: number): void
  add(values: LabelValues<Label>, amount: number): void
  /** Asked at every scrape, for all of its series. While it fails there are none: an old value would look like a good one. */
  readBy(read: (gauge: Pick<Gauge<Label>, 'set' | 'add'>) => void | Promise<void>): void
}

export function openGauge<Label extends string>(definition: MetricDefinition<'gauge', Label>) {
  const fold = labelFold(definition.labels)
  const known = new Map<string, { labels: Record<Label, string>; value: number }>()
  let reader: Parameters<Gauge<Label>['readBy']>[0] | undefined
  const gauge: Gauge<Label> = {
    set(values, value) {
      const { key, labels } = fold(values)
      known.set(key, { labels, value })
    },
    add(values, amount) {
      const { key, labels } = fold(values)
      known.set(key, { labels, value: (known.get(key)?.value ?? 0) + amount })
    },
    readBy(read) {
      reader = read
    },
  }
  const read = async (): Promise<Sample[]> => {
    if (reader !== undefined) {
      known.clear()
      try {
        await reader(gauge)
      } catch {
        known.clear()
      }
    }
    return [...known.values()]
  }
  return { instrument: gauge, read }
}
