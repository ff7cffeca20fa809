import { readFileSync } from 'node:fs'
import { endWithParent } from '../parties/serve-until-disconnected.ts'
import { drive } from './drive.ts'
import type { LoadPlan } from './load-plan.ts'

// The client of both sides, in a process of its own so that it can be given a core of its own.

const payments = new Map<string, string[]>()

process.on('message', async (plan: LoadPlan) => {
  process.send?.(await drive(plan, plan.kind === 'unpaid' ? [] : linesOf(plan.paymentsFile)))
})
endWithParent()
process.send?.({})

function linesOf(file: string): string[] {
  const lines = payments.get(file) ?? readFileSync(file, 'utf8').trimEnd().split('\n')
  payments.set(file, lines)
  return lines
}
