// npm run docs:observability: writes docs/metrics.md and the dashboards from what they are described by.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DASHBOARDS } from './dashboards/all-dashboards.ts'
import { grafanaJson } from './dashboards/grafana-json.ts'
import { metricsPage } from './metrics-page.ts'
import { PLACES } from './places.ts'

writeFileSync(PLACES.metricsPage, metricsPage())
mkdirSync(PLACES.dashboards, { recursive: true })
for (const dashboard of DASHBOARDS) writeFileSync(join(PLACES.dashboards, `${dashboard.uid}.json`), grafanaJson(dashboard))
