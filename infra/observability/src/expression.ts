import { knownMetrics } from './known-metrics.ts'

export type Selector = { metric: string; matchers: { label: string; operator: string; value: string }[] }

const WORDS = new Set(
  'sum avg min max count rate increase irate delta histogram_quantile absent time by without and or unless on ignoring group_left topk clamp_min vector label_replace bool offset le'.split(
    ' ',
  ),
)

/** The metrics that an expression of PromQL asks for, with their matchers. Reads what we write, not all of PromQL. */
export function selectorsOf(expression: string): Selector[] {
  // What stands in `by (...)` are labels; variables of Grafana stand for durations.
  const bare = expression.replace(/\$__(rate_)?interval/g, '5m').replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
  const found: Selector[] = []
  for (const match of bare.matchAll(/([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?/g)) {
    const [, name = '', braces = ''] = match
    const before = bare[(match.index ?? 0) - 1] ?? ' '
    if (WORDS.has(name) || /[0-9."[]/.test(before)) continue
    if (/^[smhd]$/.test(name)) continue
    const matchers = [...braces.matchAll(/([a-zA-Z_]+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    )
    found.push({ metric: name, matchers })
  }
  return found
}

/** The labels that an expression groups by. */
export function groupedBy(expression: string): string[] {
  return [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  )
}

/** What an expression asks for that no service shows: metrics, labels, label values. Empty when all of it exists. */
export function unknownIn(expression: string): string[] {
  const known = knownMetrics()
  const selectors = selectorsOf(expression)
  const labels = new Set(selectors.flatMap(({ metric }) => Object.keys(known.get(metric)?.labels ?? {})))
  const wrong = groupedBy(expression)
    .filter((label) => !labels.has(label))
    .map((label) => `nothing here has the label ${label}`)
  if (selectors.length === 0) wrong.push('no metric in it')
  for (const { metric, matchers } of selectors) {
    const has = known.get(metric)
    if (has === undefined) {
      wrong.push(`there is no ${metric}`)
      continue
    }
    for (const { label, operator, value } of matchers) wrong.push(...wrongMatcher(metric, has.labels, { label, operator, value }))
  }
  return wrong
}

function wrongMatcher(
  metric: string,
  labels: Readonly<Record<string, readonly string[] | null>>,
  { label, operator, value }: Selector['matchers'][number],
): string[] {
  const values = labels[label]
  if (values === undefined) return [`${metric} has no label ${label}`]
  if (values === null || value.startsWith('$')) return []
  if (operator === '=' || operator === '!=') return values.includes(value) ? [] : [`${metric} never has ${label}="${value}"`]
  // Every alternative must be able to match, else it only looks as if it counted something.
  return value
    .split('|')
    .filter((part) => !values.some((each) => new RegExp(`^(?:${part})$`).test(each)))
    .map((part) => `${metric} never has ${label} like ${part}`)
}
