import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  registry: Registry
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>
  gauge<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    collect?: (gauge: Gauge<Label>) => void | Promise<void>,
  ): Gauge<Label>
  histogram<Label extends string>(
    name: string,
    help: string,
    labels?: readonly Label[],
    buckets?: readonly number[],
  ): Histogram<Label>
}

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 120, 300]

/** A registry of one service's own, with Node's default metrics (event-loop delay among them). Label values must come from closed sets. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: [...labels], registers: [registry] }),
    gauge: (name, help, labels = [], collect) =>
      new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        ...(collect === undefined
          ? {}
          : {
              collect() {
                return collect(this)
              },
            }),
      }),
    histogram: (name, help, labels = [], buckets = SECONDS) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers: [registry] }),
  }
}
