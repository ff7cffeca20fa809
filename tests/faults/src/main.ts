// npm run faults: many clients against a stack of its own while faults strike it, then every request is brought to its end and the books are
// compared. Exit status 0: no difference. 1: a difference, a fault that hit nothing, or one after which nothing recovered.

import { type Random, randomFrom } from '@turnpike/crowd'
import { UsageError } from '@turnpike/testing/command-line'
import { describeFault, nameOf, type PlannedFault } from './fault.ts'
import { type FaultRun, startFaultRun } from './fault-run.ts'
import { type Options, readOptions, USAGE } from './options.ts'
import { isClean, renderReport } from './report.ts'
import { endlessSchedule } from './schedule.ts'

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') console.log(USAGE)
  else process.exitCode = await main(options)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}

async function main(options: Options): Promise<number> {
  const { seed, minutes, clients } = options
  console.log(`seed ${seed}, ${minutes} min, ${clients} clients; starting a stack`)
  const run = await startFaultRun({ random: randomFrom(seed), clients })
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  console.log(`ready, logs in ${run.stack.home}/logs`)
  let isGood = false
  try {
    const broken = await strikeFor(run, options, interrupted.signal)
    console.log('bringing every request to its end')
    const outcome = await run.settleUp()
    console.log(`${renderReport(run.struck, outcome)}\n  answers: ${countsOf(run.crowd.answers)}`)
    if (broken !== undefined) console.log(`  FAILED ${broken}`)
    isGood = broken === undefined && run.struck.length > 0 && isClean(outcome)
  } finally {
    await run.stop({ keepHome: options.keepHome || !isGood })
  }
  const again = `npm run faults -- --minutes ${minutes} --seed ${seed} --clients ${clients}`
  console.log(isGood ? `no difference under ${run.struck.length} faults` : `NOT CLEAN: ${again}; logs in ${run.stack.home}/logs`)
  return isGood ? 0 : 1
}

/** Strikes until the time is over; says what broke off the run, if anything did. */
async function strikeFor(run: FaultRun, { seed, minutes }: Options, signal: AbortSignal): Promise<string | undefined> {
  const random = randomFrom(seed)
  const schedule = endlessSchedule(random.fork('faults'))
  const pairs = random.fork('pairs')
  const untilMs = Date.now() + minutes * 60_000
  for (const planned of schedule) {
    if (Date.now() >= untilMs || signal.aborted) return undefined
    const meanwhile = secondOf(pairs, planned)
    try {
      const { inFlight, recoveredMs, number } = await run.strike(planned, meanwhile)
      const both = meanwhile === undefined ? '' : ` and ${nameOf(meanwhile.fault)}`
      const ended = run.crowd.requests.filter(({ paid }) => paid !== undefined).length
      console.log(
        `${number}. ${describeFault(planned)}${both}: hit ${inFlight.length}, served again after ${recoveredMs} ms (${ended} paid)`,
      )
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  return undefined
}

/** One fault in four is joined by another, of something else. */
function secondOf(pairs: Random, first: PlannedFault): PlannedFault | undefined {
  if (pairs.unit() > 0.25) return undefined
  for (const second of endlessSchedule(pairs.fork(`to ${first.number}`))) {
    const { fault } = second
    const needsNoHelp = fault.kind === 'service' || fault.kind === 'part' || fault.kind === 'flush'
    if (needsNoHelp && targetOf(second) !== targetOf(first)) return { ...second, number: first.number }
  }
  return undefined
}

/** Two faults of one target would undo each other. The upstream's faults live in the sandbox. */
function targetOf({ fault }: PlannedFault): string {
  switch (fault.kind) {
    case 'service':
      return fault.service
    case 'part':
      return fault.part
    case 'flush':
      return 'redis'
    case 'upstream':
      return 'sandbox'
    case 'facilitator':
      return 'facilitator'
    case 'node':
      return 'chain'
  }
}

function countsOf(answers: ReadonlyMap<string, number>): string {
  const rows = [...answers].sort(([, one], [, other]) => other - one)
  return rows.map(([code, count]) => `${count} x ${code}`).join(', ')
}
