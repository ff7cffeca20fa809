import type { AuditFound } from '@turnpike/crowd'
import type { StepResult } from './load/paid-load.ts'

/** What a run found, as it is kept. */
export type RunReport = {
  startedAt: string
  seed: number
  clients: number
  steps: readonly StepResult[]
  /** Over the whole chain, after everything. */
  finalAudit: AuditFound | undefined
}

export function isClean({ steps, finalAudit }: RunReport): boolean {
  return (
    steps.length > 0 &&
    steps.every(({ differences }) => differences.length === 0) &&
    (finalAudit === undefined || finalAudit.status === 0)
  )
}

/** A line for people when a step has ended. */
export function stepLine({ step, seconds, requests, charged, closed, differences, upstream, facts }: StepResult): string {
  const said = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  const counts = `${requests} requests, ${charged} charged, ${closed} closed, ${upstream.perCharged.toFixed(3)} calls per charge (most ${upstream.most})`
  const verdict = differences.length === 0 ? 'ok' : `${differences.length} DIFFERENCES`
  return [`${step}: ${verdict} in ${seconds} s; ${counts}`, ...said].join('; ')
}

/** The table at the end. */
export function renderTable(report: RunReport): string {
  const head = ['step', 'seconds', 'requests', 'charged', 'lost connections', 'answers 5xx', 'calls/charge', 'differences']
  const rows = report.steps.map(({ step, seconds, requests, charged, upstream, answers, differences }) => [
    step,
    seconds.toFixed(1),
    requests,
    charged,
    answers['connection lost'] ?? 0,
    countOf(answers, /^5/),
    upstream.perCharged.toFixed(3),
    differences.length,
  ])
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '),
  )
  const { finalAudit } = report
  const audit =
    finalAudit === undefined
      ? []
      : [
          '',
          `audit of everything: ${finalAudit.transfers} transfers, ${finalAudit.receipts} receipts, ${finalAudit.results} results, ${finalAudit.differences} differences`,
        ]
  const found = report.steps.flatMap(({ step, differences }) => differences.map((what) => `DIFFERENCE ${step}: ${what}`))
  return [...lines, ...audit, ...found].join('\n')
}

function countOf(answers: Readonly<Record<string, number>>, which: RegExp): number {
  return Object.entries(answers).reduce((sum, [name, count]) => (which.test(name) ? sum + count : sum), 0)
}
