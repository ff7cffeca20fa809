/** What a /metrics page says of one metric. */
export type ShownMetric = { help: string; type: string; samples: { labels: Record<string, string>; value: number }[] }

/** Prometheus' text format by metric; the series of a histogram belong to it. */
export function readExposition(text: string): Map<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric>()
  for (const line of text.split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (word === 'HELP') metrics.set(name, { help: rest, type: '', samples: [] })
    const known = metrics.get(name)
    if (word === 'TYPE' && known !== undefined) known.type = rest
    const sample = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line)
    if (sample === null) continue
    const [, series = '', labels = '', value = ''] = sample
    const owner = metrics.get(series) ?? metrics.get(series.replace(/_(bucket|sum|count)$/, ''))
    owner?.samples.push({ labels: labelsOf(labels), value: Number(value) })
  }
  return metrics
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label = '', value = '']) => [label, value]))
}
