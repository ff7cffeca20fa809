/** A panel as it is thought of; grafana-json.ts makes Grafana's JSON of it. */
export type Panel = {
  title: string
  /** What a reader should conclude from it. */
  says: string
  kind: 'lines' | 'stat' | 'table'
  unit: Unit
  queries: readonly { expr: string; legend: string }[]
  /** Of 24. */
  width?: 6 | 8 | 12 | 24
  /** From this value on it is drawn in red; `below`: up to this value. */
  alarm?: number | { below: number }
  /** Draws the lines on top of each other: parts of a whole. */
  isStacked?: boolean
}
export type Unit =
  | 'reqps'
  | 's'
  | 'percentunit'
  | 'short'
  | 'bytes'
  | 'currencyUSD'
  | 'none'
  | 'dateTimeFromNow'
  | 'ops'
  | 'bool_yes_no'
export type Dashboard = { uid: string; title: string; says: string; rows: readonly { title: string; panels: readonly Panel[] }[] }

/** A quantile over everybody, by the labels that are named. */
export function quantile(q: number, metric: string, by: readonly string[] = [], matchers = ''): string {
  return `histogram_quantile(${q}, sum by (${['le', ...by].join(', ')}) (rate(${metric}_bucket${matchers}[$__rate_interval])))`
}

/** Per second, by the labels that are named. */
export function perSecond(metric: string, by: readonly string[] = [], matchers = ''): string {
  const rate = `(rate(${metric}${matchers}[$__rate_interval]))`
  return by.length === 0 ? `sum${rate}` : `sum by (${by.join(', ')}) ${rate}`
}
