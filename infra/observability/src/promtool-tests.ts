import { ALERT_CASES, type Series } from './alert-cases.ts'
import type { AlertRule } from './read-alerts.ts'

const AT = '30m'

/** The unit tests of one alert for promtool, over a file that holds its rule alone: with all 39 in it each test would evaluate all 39. */
export function promtoolTests(rule: AlertRule, ruleFile: string): object {
  return { rule_files: [ruleFile], evaluation_interval: '1m', tests: [testOf(rule, 'fires'), testOf(rule, 'quiet')] }
}

function testOf({ alert, labels, annotations }: AlertRule, which: 'fires' | 'quiet'): object {
  const found = ALERT_CASES[alert]
  const expected = { exp_labels: { ...labels, ...found?.labels }, exp_annotations: annotations }
  return {
    name: `${alert} ${which}`,
    interval: '1m',
    input_series: found?.[which].map(([series, values]: Series) => ({ series, values })) ?? [],
    alert_rule_test: [{ eval_time: found?.at ?? AT, alertname: alert, exp_alerts: which === 'fires' ? [expected] : [] }],
  }
}
