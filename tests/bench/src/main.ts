import { constants } from 'node:os'
import { UsageError } from '@turnpike/testing/command-line'
import { type BenchRun, openBenchRun } from './bench-run.ts'
import { chooseCores } from './machine/cores.ts'
import { describeMachine } from './machine/describe-machine.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { type Progress, progressOn } from './report/progress.ts'
import { type Report, renderReport } from './report/report.ts'
import { writeResults } from './report/write-results.ts'
import { runScenarios } from './scenarios/run-scenarios.ts'
import { runWorkers } from './workers/run-workers.ts'

const write = (text: string) => process.stdout.write(`${text}\n`)

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`\n${error instanceof UsageError ? `${error.message}\n\n${USAGE}` : describe(error)}\n`)
  return 1
})

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    write(USAGE)
    return 0
  }
  const run = await openBenchRun()
  let isOver = false
  const progress = progressOn((line) => {
    // What is under way fails when its processes go; that is no news after an interruption.
    if (!isOver) write(line)
  })
  const end = await Promise.race([measured(run, options, progress), interruption()])
  isOver = true
  const isGood = end.kind === 'report'
  if (!isGood) write(end.kind === 'interrupted' ? '\nstopping' : `\n${describe(end.error)}`)
  const left = await run.close({ keepFolder: end.kind === 'failed' })
  if (end.kind === 'failed') write(`logs are in ${run.folder}`)
  if (left.length > 0) write(`these did not end: ${left.join(', ')}`)
  if (end.kind === 'interrupted') return 128 + constants.signals[end.signal]
  if (end.kind === 'failed') return 1
  write(renderReport(end.report))
  write(`written to ${writeResults(end.report)}`)
  return left.length === 0 ? 0 : 1
}

type End =
  | { kind: 'report'; report: Report }
  | { kind: 'failed'; error: unknown }
  | { kind: 'interrupted'; signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' }

function measured(run: BenchRun, options: Options, progress: Progress): Promise<End> {
  return measure(run, options, progress).then(
    (report) => ({ kind: 'report', report }),
    (error: unknown) => ({ kind: 'failed', error }),
  )
}

async function measure(run: BenchRun, options: Options, progress: Progress): Promise<Report> {
  const startedAt = new Date().toISOString()
  const machine = describeMachine()
  const cores = chooseCores()
  const scenarios = await runScenarios(run, cores, options, progress)
  const workers = options.only.includes('w') ? await runWorkers(run, options, progress) : null
  return { startedAt, machine, cores, options, scenarios, workers }
}

function interruption(): Promise<End> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => resolve({ kind: 'interrupted', signal }))
  })
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
