import { readFileSync } from 'node:fs'
import type { BenchRun } from '../bench-run.ts'
import { percentile } from '../load/drive.ts'
import { cpuBetween, readCpuTimes } from '../machine/cpu-time.ts'
import type { Options } from '../options.ts'
import type { Progress } from '../report/progress.ts'
import { type FinishedJob, openWorkerRig, type WorkerRig } from './worker-rig.ts'

const CALL_MS = 2_000
/** What one process must hold. */
export const HELD_CALLS = 500
/** Jobs under way in the whole system, so that at least so many of them are calls. */
const HELD_JOBS = 640
/** Full rounds of calls per worker in a throughput run, the first and the last of which do not count. */
const WAVES = 8
const SAMPLE_EVERY_MS = 1_000

export type HoldFigures = {
  seconds: number
  jobs: number
  failed: number
  jobsPerSecond: number
  callsInFlight: { least: number; mean: number }
  /** From the publish of a job to its outcome in a consumer's hands, without the call itself. */
  overheadMs: { p50: number; p99: number; max: number }
  cpuMsPerJob: number
  /** Resident memory of the worker, MiB, one figure a second from full load on. */
  rssMib: readonly number[]
}
export type ThroughputFigures = { workers: number; jobs: number; failed: number; jobsPerSecond: number; limitPerSecond: number }
export type WorkerFigures = {
  callMs: number
  hold: HoldFigures
  concurrency: number
  one: ThroughputFigures
  two: ThroughputFigures
  ratio: number
}

/** (w) One worker process under many slow calls at once, then one against two, from the job topic to the outcome topic. */
export async function runWorkers(run: BenchRun, options: Options, progress: Progress): Promise<WorkerFigures> {
  progress.step('starting what a worker needs')
  const rig = await openWorkerRig(run, CALL_MS)
  progress.scenario('w')
  const holder = await rig.startWorker(HELD_JOBS)
  progress.step(`  holding ${HELD_JOBS} jobs for ${options.holdSeconds} s`)
  const hold = await holdCalls(rig, holder.pid, options.holdSeconds)
  progress.step(`  ${hold.jobsPerSecond.toFixed(0)} jobs/s, ${hold.callsInFlight.mean.toFixed(0)} calls at once`)
  await rig.stopWorker(holder)

  const concurrency = options.workerConcurrency
  await rig.startWorker(concurrency)
  const one = await throughput(rig, 1, concurrency)
  progress.step(`  one worker   ${one.jobsPerSecond.toFixed(1)} jobs/s`)
  await rig.startWorker(concurrency)
  const two = await throughput(rig, 2, concurrency)
  progress.step(`  two workers  ${two.jobsPerSecond.toFixed(1)} jobs/s`)
  return { callMs: CALL_MS, hold, concurrency, one, two, ratio: two.jobsPerSecond / one.jobsPerSecond }
}

/** A closed loop of jobs: each that ends makes room for the next. */
async function holdCalls(rig: WorkerRig, pid: number, seconds: number): Promise<HoldFigures> {
  const finished: FinishedJob[] = []
  const startedMs = performance.now()
  // Spread over one call, so that they do not end all at once for ever.
  const fullMs = startedMs + 2 * CALL_MS
  const endMs = fullMs + seconds * 1_000
  const loop = async (index: number) => {
    await pause((index / HELD_JOBS) * CALL_MS)
    while (performance.now() < endMs) finished.push(await rig.runJob())
  }
  const loops = Promise.all(Array.from({ length: HELD_JOBS }, (_, index) => loop(index)))
  await pause(fullMs - performance.now())
  const worker = [{ name: 'worker', pid }]
  const cpuBefore = readCpuTimes(worker)
  const rssMib: number[] = []
  const calls: number[] = []
  while (performance.now() < endMs) {
    rssMib.push(residentMib(pid))
    calls.push(await rig.callsInFlight())
    await pause(SAMPLE_EVERY_MS)
  }
  const measuredMs = performance.now() - fullMs
  const cpuMs = cpuBetween(cpuBefore, readCpuTimes(worker)).worker ?? 0
  await loops
  const counted = finished.filter(({ finishedMs }) => finishedMs >= fullMs && finishedMs < fullMs + measuredMs)
  const overheads = counted.map(({ publishedMs, finishedMs }) => finishedMs - publishedMs - CALL_MS).sort((a, b) => a - b)
  return {
    seconds: measuredMs / 1_000,
    jobs: finished.length,
    failed: finished.filter(({ ok }) => !ok).length,
    jobsPerSecond: (counted.length / measuredMs) * 1_000,
    callsInFlight: { least: Math.min(...calls), mean: calls.reduce((sum, count) => sum + count, 0) / calls.length },
    overheadMs: { p50: percentile(overheads, 0.5), p99: percentile(overheads, 0.99), max: overheads.at(-1) ?? 0 },
    cpuMsPerJob: cpuMs / counted.length,
    rssMib,
  }
}

/** All jobs wait in the topic beforehand, so that the workers' concurrency is the limit. Its first and last wave do not count. */
async function throughput(rig: WorkerRig, workers: number, concurrency: number): Promise<ThroughputFigures> {
  const atOnce = workers * concurrency
  const finished = await Promise.all(Array.from({ length: atOnce * WAVES }, () => rig.runJob()))
  const endsMs = finished.map(({ finishedMs }) => finishedMs).sort((a, b) => a - b)
  const [from = 0, to = 0] = [endsMs[atOnce], endsMs[endsMs.length - 2 * atOnce]]
  return {
    workers,
    jobs: finished.length,
    failed: finished.filter(({ ok }) => !ok).length,
    jobsPerSecond: ((endsMs.length - 3 * atOnce) / (to - from)) * 1_000,
    limitPerSecond: (atOnce / CALL_MS) * 1_000,
  }
}

function residentMib(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / 1_024
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
