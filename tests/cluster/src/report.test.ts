import { expect, it } from 'vitest'
import type { StepResult } from './load/paid-load.ts'
import { isClean, type RunReport, renderTable, stepLine } from './report.ts'

const step: StepResult = {
  ...{ step: 'rolling upgrade', seconds: 61.2, requests: 120, charged: 100, closed: 0, others: 0, differences: [] },
  upstream: { total: 100, perCharged: 1, most: 1, without: 0 },
  answers: { '200': 240, '503 ledger_unavailable': 2, '502 no code': 1, 'connection lost': 3, '402 payment_required': 5 },
  audit: { status: 0, transfers: 100, receipts: 100, results: 100, differences: 0, refunds: 0, foreign: 0 },
  facts: { podsReplaced: 11 },
}
const audit = { ...step.audit, text: '' }
const report: RunReport = { startedAt: '', seed: 1, clients: 6, steps: [step], finalAudit: audit }

it('is clean when every step and the audit of everything are', () => {
  expect(isClean(report)).toBe(true)
  expect(isClean({ ...report, steps: [] })).toBe(false)
  expect(isClean({ ...report, steps: [step, { ...step, differences: ['paid twice'] }] })).toBe(false)
  expect(isClean({ ...report, finalAudit: { ...audit, status: 1 } })).toBe(false)
})

it('shows lost connections and answers of 5xx beside what was charged, and every difference', () => {
  const table = renderTable({ ...report, steps: [step, { ...step, step: 'rollback', differences: ['paid twice'] }] })
  const row = table.split('\n')[1]?.split(/\s{2,}/)
  expect(row).toEqual(['rolling upgrade', '61.2', '120', '100', '3', '3', '1.000', '0'])
  expect(table).toContain('DIFFERENCE rollback: paid twice')
  expect(stepLine(step)).toContain('podsReplaced 11')
})
