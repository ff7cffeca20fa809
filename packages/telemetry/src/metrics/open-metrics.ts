import { collectDefaultMetrics, Gauge as PromGauge, Registry } from 'prom-client'
import { type Counter, openCounter } from './counters.ts'
import { type Gauge, openGauge } from './gauges.ts'
import { type Histogram, openHistogram } from './histograms.ts'
import type { MetricDefinition, MetricTable } from './metric-table.ts'
import type { Sample } from './sample.ts'

/** A registry of one service's own. */
export type Metrics = {
  registry: Registry
  /** The instruments of a table, under the table's names; a table is opened once. */
  open<Table extends MetricTable>(table: Table): Instruments<Table>
}

export type Instruments<Table extends MetricTable> = {
  readonly [Key in keyof Table]: Table[Key] extends MetricDefinition<infer Kind, infer Label>
    ? Kind extends 'counter'
      ? Counter<Label>
      : Kind extends 'gauge'
        ? Gauge<Label>
        : Histogram<Label>
    : never
}

/** With Node's own metrics: processor, memory, garbage collection, event-loop delay. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    open(table) {
      const entries = Object.entries(table).map(([key, definition]) => {
        const { instrument, read } = openInstrument(definition)
        registry.registerMetric(new Exposed(definition, read))
        return [key, instrument]
      })
      return Object.fromEntries(entries)
    },
  }
}

function openInstrument(definition: MetricDefinition): { instrument: unknown; read: () => Promise<Sample[]> } {
  switch (definition.kind) {
    case 'counter':
      return openCounter({ ...definition, kind: 'counter' })
    case 'gauge':
      return openGauge({ ...definition, kind: 'gauge' })
    case 'histogram':
      return openHistogram({ ...definition, kind: 'histogram' })
  }
}

/**
 * How the registry sees an instrument. prom-client's own counters and histograms validate and hash the labels of every single
 * increment, also through their children: 1 to 2 µs each, of which a challenge had four. Ours are plain numbers until a scrape; the
 * registry and the text format stay prom-client's.
 */
class Exposed extends PromGauge {
  readonly #definition: MetricDefinition
  readonly #read: () => Promise<Sample[]>

  constructor(definition: MetricDefinition, read: () => Promise<Sample[]>) {
    super({ name: definition.name, help: definition.help, registers: [] })
    this.#definition = definition
    this.#read = read
  }

  override async get() {
    const { name, help, kind } = this.#definition
    // prom-client's declarations call it a number; the library writes out what stands here.
    const type = kind as never
    return { name, help, type, values: await this.#read(), aggregator: 'sum' as const, collect: () => {} }
  }
}
