// npm test: linter, type check, then every test against real parts on ports and a home of its own.
//   npm test                       everything
//   npm test -- <path or name>...  only test files whose path holds one of them, without linter and type check
//   npm test -- --parts=containers [<path or name>...]   the parts that tests start run in containers (infra/docker/README.md), not as processes
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { containerEnvironment, removeContainers } from './container-run.ts'

type Parts = 'processes' | 'containers'

/** A failure is one line: where, which, and the first line of its error. */
type Outcome = { passed: number; failures: string[] }

const MAX_LINE = 300
const { filters, parts } = choices(process.argv.slice(2))
const root = join(import.meta.dirname, '../../..')
const reports = mkdtempSync(join(tmpdir(), 'turnpike-test-'))
const outcomes: Outcome[] = []

if (parts === 'containers') useContainers()
const chartTools = startChartTools()
try {
  if (filters.length === 0) {
    outcomes.push(step('linter', ['biome', 'ci', '.', '--reporter=summary']))
    // One program over everything: a fifth of what workspace by workspace takes where nothing is cached (`npm run typecheck` is that).
    outcomes.push(step('type check', ['tsc', '-p', 'tsconfig.json']))
  }
  outcomes.push(prepare())
  // They wait far more than they work, and disturb nobody: beside the parts they cost the run nothing.
  const ownStack = startVitest('own-stack')
  outcomes.push(vitest('parts'))
  outcomes.push(await finished(ownStack))
  // One process beside a stack that is asked one thing after the other, and leaves a third of the machine idle.
  const units = startVitest('units')
  outcomes.push(vitest('stack'))
  outcomes.push(await finished(units))
  outcomes.push(await chartToolsAreThere(chartTools))
  outcomes.push(vitest('chart'))
} finally {
  if (parts === 'containers') removeContainers()
  rmSync(reports, { recursive: true, force: true })
}

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
const failures = outcomes.flatMap((outcome) => outcome.failures)
if (passed + failures.length === 0) console.log(`No test matches ${filters.join(' ')}.`)
// The end of a log is what is kept of it: it names everything that failed.
if (failures.length > 0) console.log(`\n── failed\n${failures.map((failure) => `   ✗ ${failure}`).join('\n')}\n`)
console.log(`${passed} passed, ${failures.length} failed`)
process.exit(failures.length === 0 && passed > 0 ? 0 : 1)

function choices(args: readonly string[]): { filters: string[]; parts: Parts } {
  const flag = '--parts='
  const [chosen = 'processes', ...more] = args.filter((arg) => arg.startsWith(flag)).map((arg) => arg.slice(flag.length))
  if (more.length > 0 || (chosen !== 'processes' && chosen !== 'containers')) {
    console.error('Usage: npm test -- [--parts=processes|containers] [<path or name>...]')
    process.exit(2)
  }
  return { filters: args.filter((arg) => !arg.startsWith(flag)), parts: chosen }
}

function useContainers(): void {
  const chosen = containerEnvironment(process.env)
  if ('problem' in chosen) {
    console.error(`Tests on containers: ${chosen.problem}.`)
    process.exit(2)
  }
  Object.assign(process.env, chosen.env)
  removeContainers()
}

function step(name: string, command: string[]): Outcome {
  const startedAt = Date.now()
  console.log(`\n── ${name}`)
  const { status } = spawnSync('pnpm', ['exec', ...command], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  console.log(`── ${name} ${status === 0 ? 'passed' : 'FAILED'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  return status === 0
    ? { passed: 1, failures: [] }
    : { passed: 0, failures: [`${name}: see its output above (${ending(status)})`] }
}

/** A test's time limit is for what it tests: on a fresh machine the first one would otherwise wait for minutes of fetching and compiling. */
function prepare(): Outcome {
  console.log('\n── software of the parts')
  const { status } = spawnSync(process.execPath, ['infra/local/src/prepare.ts'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return { passed: 0, failures: status === 0 ? [] : [`software of the parts: see its output above (${ending(status)})`] }
}

/** Compilers that the checks of the Helm chart need on a fresh machine, beside everything else and behind it; their output is kept. */
function startChartTools(): ChildProcess {
  return spawn(process.execPath, ['infra/local/src/prepare-chart.ts'], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function chartToolsAreThere(child: ChildProcess): Promise<Outcome> {
  console.log('\n── software of the chart tests')
  child.stderr?.pipe(process.stderr)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  const failures = child.exitCode === 0 ? [] : [`software of the chart tests: see its output above (${ending(child.exitCode)})`]
  return { passed: 0, failures }
}

type Running = { project: string; child: ChildProcess; output: string; startedAt: number }

function vitest(project: string): Outcome {
  console.log(`\n── tests: ${project}`)
  const { status } = spawnSync('pnpm', vitestArguments(project), { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  return outcomeOf(project, status)
}

/** Runs beside what follows; what it says is kept until it has ended. */
function startVitest(project: string): Running {
  console.log(`\n── tests: ${project}, beside the next; their output follows it`)
  const output = join(reports, `${project}.log`)
  const file = openSync(output, 'w')
  const child = spawn('pnpm', vitestArguments(project), { cwd: root, stdio: ['ignore', file, file] })
  closeSync(file)
  return { project, child, output, startedAt: Date.now() }
}

async function finished({ project, child, output, startedAt }: Running): Promise<Outcome> {
  console.log(`\n── tests: ${project} (since ${Math.round((Date.now() - startedAt) / 1000)} s)`)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  process.stdout.write(readFileSync(output))
  return outcomeOf(project, child.exitCode)
}

function vitestArguments(project: string): string[] {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(reports, `${project}.json`)}`]
  return ['exec', 'vitest', 'run', '--project', project, '--passWithNoTests', ...reporters, ...filters]
}

/** A file that does not load, or a run that ends early, counts as a failure of its own. */
function outcomeOf(project: string, status: number | null): Outcome {
  const { numPassedTests = 0, testResults = [] } = readReport(join(reports, `${project}.json`))
  const failures = testResults.flatMap(failuresOf)
  if (failures.length === 0 && status !== 0) {
    failures.push(`tests: ${project}: no test failed but the run did; see its output above (${ending(status)})`)
  }
  return { passed: numPassedTests, failures }
}

type Report = { numPassedTests?: number; testResults?: FileResult[] }
type FileResult = { name: string; status: string; message?: string; assertionResults: TestResult[] }
type TestResult = { status: string; fullName: string; failureMessages?: string[] | null }

function failuresOf({ name, status, message, assertionResults }: FileResult): string[] {
  const file = relative(root, name)
  const failed = assertionResults.filter((test) => test.status === 'failed')
  // It does not load, or a hook of it failed: its tests never ran. Vitest's report has no error of a hook inside `describe`.
  if (failed.length === 0)
    return status === 'failed' ? [`${file}: ${firstLine(message || 'a hook failed; see its output above')}`] : []
  return failed.map((test) => `${file} > ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`)
}

function firstLine(text: string | undefined): string {
  const line = stripVTControlCharacters(text ?? '')
    .split('\n')
    .map((each) => each.trim())
    .find((each) => each !== '')
  return line === undefined ? 'see its output above' : line.slice(0, MAX_LINE)
}

function ending(status: number | null): string {
  return status === null ? 'it was killed' : `exit status ${status}`
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return {}
  }
}
