// npm run test:cluster: the chart in a real cluster, under paid load. Exit status 0: every step is clean. 1: a step is not. 2: it could not run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '@turnpike/testing/command-line'
import { type Options, readOptions, USAGE } from './options.ts'
import { isClean, type RunReport, renderTable } from './report.ts'
import { runInCluster } from './run-in-cluster.ts'
import { runUpgradeDrill } from './upgrade/upgrade-drill.ts'

const results = join(import.meta.dirname, '..', 'results')

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === 'help') console.log(USAGE)
  else process.exitCode = await main(options)
} catch (error) {
  process.exitCode = 2
  console.error(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : error)
}

async function main(options: Options): Promise<number> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort())
  const startedMs = Date.now()
  const say = (line: string) => console.log(`${String(Math.round((Date.now() - startedMs) / 1_000)).padStart(4)} s  ${line}`)
  const run = options.upgrade === undefined ? runInCluster : runUpgradeDrill
  const report = await run(options, { say, signal: stopped.signal })
  const file = keep(report, options.upgrade === undefined ? (options.guarded ? 'cluster-guarded' : 'cluster') : 'upgrade')
  console.log(`\n${renderTable(report)}\n\n${file}`)
  return isClean(report) && !stopped.signal.aborted ? 0 : 1
}

function keep(report: RunReport, name: string): string {
  mkdirSync(results, { recursive: true })
  const file = join(results, `${name}-${report.startedAt.replaceAll(':', '-').slice(0, 19)}.json`)
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return file
}
