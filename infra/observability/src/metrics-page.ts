import { METRICS_OF_SERVICES, type MetricDefinition } from '@turnpike/telemetry/metrics'

const INTRO = `# Metrics

Every service shows its metrics as \`/metrics\` on its internal port (\`INTERNAL_PORT\`), in Prometheus' text format. Every series carries the label \`service\`;
\`process_*\` and \`nodejs_*\` (processor, memory, garbage collection, event-loop delay) come from prom-client and are the same everywhere.

The tables below are written from \`packages/telemetry/src/metrics/tables\` by \`npm run docs:observability\`; a test compares them with this page, and another one
with what a running stack shows. Every label has a closed set of values; what is not in it is counted as \`other\`, so no stranger, model or error can make series.
Amounts in USDC are for watching: the books count atomic units as integers.

Alerts on them: \`infra/helm/turnpike/files/alerts.yaml\`, each with a page in [runbooks](runbooks). Dashboards: \`infra/helm/turnpike/files/dashboards\`.
`

/** docs/metrics.md. A table that several services share stands once. */
export function metricsPage(): string {
  const tables = new Map<object, { services: string[]; definitions: MetricDefinition[] }>()
  for (const [service, all] of Object.entries(METRICS_OF_SERVICES)) {
    for (const table of all) {
      const known = tables.get(table) ?? { services: [], definitions: Object.values(table) }
      known.services.push(service)
      tables.set(table, known)
    }
  }
  const sections = [...tables.values()].map(({ services, definitions }) => section(services, definitions))
  const count = [...tables.values()].reduce((sum, { definitions }) => sum + definitions.length, 0)
  return `${INTRO}\n${count} metrics.\n\n${sections.join('\n')}`
}

function section(services: string[], definitions: MetricDefinition[]): string {
  const rows = definitions.map(({ name, kind, help, labels }) => {
    const shown = Object.entries<readonly string[]>(labels).map(([label, values]) => `\`${label}\`: ${valuesOf(values)}`)
    return `- **\`${name}\`** (${kind}). ${help}${shown.length === 0 ? '' : ` Labels: ${shown.join('; ')}.`}`
  })
  return `## ${services.join(', ')}\n\n${rows.join('\n')}\n`
}

const SHOWN = 12

function valuesOf(values: readonly string[]): string {
  const listed = values.slice(0, SHOWN).map((value) => `\`${value}\``)
  return values.length <= SHOWN ? listed.join(', ') : `${listed.slice(0, 3).join(', ')} and ${values.length - 3} more`
}
