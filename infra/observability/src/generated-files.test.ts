import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { METRICS_OF_SERVICES } from '@turnpike/telemetry/metrics'
import { describe, expect, it } from 'vitest'
import { DASHBOARDS } from './dashboards/all-dashboards.ts'
import { grafanaJson } from './dashboards/grafana-json.ts'
import { selectorsOf, unknownIn } from './expression.ts'
import { metricsPage } from './metrics-page.ts'
import { PLACES } from './places.ts'
import { readAlerts } from './read-alerts.ts'

const STALE = 'run `npm run docs:observability`'

describe('docs/metrics.md', () => {
  it('says what the tables say', () => {
    expect(readFileSync(PLACES.metricsPage, 'utf8'), STALE).toBe(metricsPage())
  })
})

type Target = { refId: string; expr: string; legendFormat: string }
type GrafanaPanel = {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: Target[]
  fieldConfig?: { defaults: { unit: string } }
}
type GrafanaDashboard = { uid: string; title: string; schemaVersion: number; panels: GrafanaPanel[] }

const read = (uid: string) => readFileSync(join(PLACES.dashboards, `${uid}.json`), 'utf8')
const shown = DASHBOARDS.map(({ uid }) => JSON.parse(read(uid)) as GrafanaDashboard)
const panels = shown.flatMap(({ uid, panels: all }) => all.map((panel) => ({ uid, ...panel })))
const queries = panels.flatMap(({ uid, title, targets = [] }) => targets.map(({ expr }) => ({ where: `${uid}: ${title}`, expr })))

describe('the dashboards', () => {
  it.each(DASHBOARDS)('$uid is what its description makes of it', (dashboard) => {
    expect(read(dashboard.uid), STALE).toBe(grafanaJson(dashboard))
  })

  it('are all that lie there', () => {
    expect(readdirSync(PLACES.dashboards).sort()).toEqual(DASHBOARDS.map(({ uid }) => `${uid}.json`).sort())
  })

  it.each(queries)('$where asks for metrics, labels and values that exist: $expr', ({ expr }) => {
    expect(unknownIn(expr)).toEqual([])
  })

  it('have panels that do not lie over each other, with a question, a unit and a sentence on what it says', () => {
    for (const { uid, panels: all } of shown) {
      expect(new Set(all.map(({ id }) => id)).size, uid).toBe(all.length)
      for (const [at, one] of all.entries()) {
        expect(one.gridPos.x + one.gridPos.w, one.title).toBeLessThanOrEqual(24)
        expect(
          all
            .slice(at + 1)
            .filter((other) => overlap(one.gridPos, other.gridPos))
            .map(({ title }) => title),
          one.title,
        ).toEqual([])
        if (one.type === 'row') continue
        expect(one.description ?? '', one.title).toMatch(/^.{10,}[.]$/)
        expect(one.fieldConfig?.defaults.unit, one.title).toMatch(/^\w+$/)
        const refs = one.targets?.map(({ refId }) => refId) ?? []
        expect(refs.length, one.title).toBeGreaterThan(0)
        expect(new Set(refs).size, one.title).toBe(refs.length)
      }
    }
  })

  it('name in their legends only labels that their questions keep', () => {
    const wrong = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr, legendFormat }) =>
        [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)]
          .map(([, label = '']) => label)
          .filter((label) => /\bby\s*\(/.test(expr) && !new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr))
          .map((label) => `${title}: ${label}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('show, with the alerts, every metric that there is', () => {
    const used = new Set([...queries, ...readAlerts()].flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric)))
    const all = Object.values(METRICS_OF_SERVICES).flatMap((tables) => tables.flatMap((table) => Object.values(table)))
    const unused = all.filter(
      ({ name }) => ![name, `${name}_bucket`, `${name}_sum`, `${name}_count`].some((each) => used.has(each)),
    )
    expect([...new Set(unused.map(({ name }) => name))].sort()).toEqual(UNWATCHED)
  })
})

/** Looked at by hand when something else asks for it. */
const UNWATCHED = [
  'turnpike_audit_duration_seconds',
  'turnpike_consumer_held',
  'turnpike_ledger_execution_seconds',
  'turnpike_ledger_expired_results_total',
  'turnpike_ledger_jobs_recorded_total',
  'turnpike_ledger_outcomes_total',
  'turnpike_ledger_settlements_in_hand',
  'turnpike_ledger_swept_objects_total',
  'turnpike_publisher_queued_bytes',
  'turnpike_publisher_up',
  'turnpike_target_call_seconds',
]

type Rectangle = GrafanaPanel['gridPos']

function overlap(one: Rectangle, other: Rectangle): boolean {
  return one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h
}
