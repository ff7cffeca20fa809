import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')

export const PLACES = {
  root: ROOT,
  alerts: join(ROOT, 'infra/helm/turnpike/files/alerts.yaml'),
  dashboards: join(ROOT, 'infra/helm/turnpike/files/dashboards'),
  runbooks: join(ROOT, 'docs/runbooks'),
  metricsPage: join(ROOT, 'docs/metrics.md'),
}
