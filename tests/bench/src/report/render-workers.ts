import { styleText } from 'node:util'
import { HELD_CALLS, type WorkerFigures } from '../workers/run-workers.ts'
import { renderTable } from './render-table.ts'

const TARGET_RATIO = 1.9

/** The report of (w) as a person reads it. */
export function renderWorkers({ hold, one, two, ratio, concurrency, callMs }: WorkerFigures): string[] {
  const { callsInFlight, overheadMs, rssMib } = hold
  const quarter = Math.max(1, Math.floor(rssMib.length / 4))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return [
    styleText('bold', `(w) Text worker, jobs.text to outcomes, calls of ${callMs / 1_000} s`),
    `  One process, ${hold.seconds.toFixed(0)} s: ${callsInFlight.mean.toFixed(0)} calls at once (least seen ${callsInFlight.least}), ${hold.jobsPerSecond.toFixed(0)} jobs/s, ${hold.cpuMsPerJob.toFixed(2)} CPU ms/job, ${hold.jobs} jobs, ${hold.failed} failed   ${met(callsInFlight.mean >= HELD_CALLS && hold.failed === 0)}`,
    `  Hand-over beside the call: p50 ${overheadMs.p50.toFixed(0)} ms, p99 ${overheadMs.p99.toFixed(0)} ms, max ${overheadMs.max.toFixed(0)} ms`,
    `  Memory (RSS MiB): ${sampled(rssMib).join(' ')}; mean of the second quarter ${mean(rssMib.slice(quarter, 2 * quarter)).toFixed(0)}, of the last ${mean(rssMib.slice(-quarter)).toFixed(0)}`,
    ...renderTable(
      [`${concurrency} calls per worker`, 'jobs/s', 'of the limit', 'jobs', 'failed'],
      [one, two].map(({ workers, jobsPerSecond, limitPerSecond, jobs, failed }) => [
        workers === 1 ? 'one worker' : `${workers} workers`,
        jobsPerSecond,
        `${Math.round((jobsPerSecond / limitPerSecond) * 100)} %`,
        jobs,
        failed,
      ]),
    ),
    `  ratio ${ratio.toFixed(2)}×   target ${TARGET_RATIO.toFixed(1)}× ${met(ratio >= TARGET_RATIO)}`,
  ]
}

/** About a dozen, evenly spread. */
function sampled(values: readonly number[]): string[] {
  const step = Math.max(1, Math.ceil(values.length / 12))
  return values.filter((_, index) => index % step === 0).map((value) => value.toFixed(0))
}

function met(isMet: boolean): string {
  return isMet ? styleText('green', 'met') : styleText('red', 'missed')
}
