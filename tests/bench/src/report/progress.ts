import { styleText } from 'node:util'
import type { ScenarioId } from '../options.ts'
import type { Round, Side } from '../scenarios/measure.ts'

export type Progress = {
  step(text: string): void
  scenario(id: ScenarioId): void
  signing(payments: number): void
  round(side: Side, round: number, result: Round): void
}

/** One line for each thing that takes a while. */
export function progressOn(write: (line: string) => void): Progress {
  const startedAt = performance.now()
  const line = (text: string) => {
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(0)} s`
    write(`${styleText('dim', seconds.padStart(6))}  ${text}`)
  }
  return {
    step: line,
    scenario: (id) => line(`scenario ${id}`),
    signing: (payments) => line(`signing ${payments} payments`),
    round(side, round, { requestsPerSecond, errors, answers }) {
      const wrong = errors === 0 ? '' : `  ${errors} errors ${JSON.stringify(answers)}`
      line(`  round ${round + 1}  ${side.name.padEnd(14)} ${requestsPerSecond.toFixed(0).padStart(6)} req/s${wrong}`)
    },
  }
}
