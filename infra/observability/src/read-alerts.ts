import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { PLACES } from './places.ts'

export type AlertRule = {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

export function readAlerts(): AlertRule[] {
  const file = parse(readFileSync(PLACES.alerts, 'utf8')) as { groups: { rules: AlertRule[] }[] }
  return file.groups.flatMap(({ rules }) => rules)
}
