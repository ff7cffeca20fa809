/**
 * One metric as it is written down: in one place, with its help text and, for each label, every value that it can take. A value that
 * is not listed is counted as `other`, so no stranger, model or code can make series.
 */
export type MetricDefinition<Kind extends MetricKind = MetricKind, Label extends string = string> = {
  kind: Kind
  name: string
  help: string
  labels: Readonly<Record<Label, readonly string[]>>
  /** Upper bounds; for histograms. */
  buckets?: readonly number[]
}
export type MetricKind = 'counter' | 'gauge' | 'histogram'
export type MetricTable = Readonly<Record<string, MetricDefinition>>

/** Stands for every label value that is not listed. */
export const OTHER = 'other'

/** From a local cache to a long provider call. */
export const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300] as const

type Labels<Label extends string> = Readonly<Record<Label, readonly string[]>>

export function counter<Label extends string = never>(
  name: string,
  help: string,
  labels = {} as Labels<Label>,
): MetricDefinition<'counter', Label> {
  return { kind: 'counter', name, help, labels }
}

/** Read when somebody scrapes. */
export function gauge<Label extends string = never>(
  name: string,
  help: string,
  labels = {} as Labels<Label>,
): MetricDefinition<'gauge', Label> {
  return { kind: 'gauge', name, help, labels }
}

export function histogram<Label extends string = never>(
  name: string,
  help: string,
  labels = {} as Labels<Label>,
  buckets: readonly number[] = SECONDS,
): MetricDefinition<'histogram', Label> {
  return { kind: 'histogram', name, help, labels, buckets }
}
