import { styleText } from 'node:util'
import type { Cores } from '../machine/cores.ts'
import type { Machine } from '../machine/describe-machine.ts'
import type { Options } from '../options.ts'
import { sumOf } from '../scenarios/measure.ts'
import type { Comparison, ScenarioSummary, SideSummary } from '../scenarios/summarize.ts'
import type { WorkerFigures } from '../workers/run-workers.ts'
import { type Cell, renderTable } from './render-table.ts'
import { renderWorkers } from './render-workers.ts'

export type Report = {
  startedAt: string
  machine: Machine
  cores: Cores
  options: Options
  scenarios: readonly ScenarioSummary[]
  /** (w) */
  workers: WorkerFigures | null
}

const TARGET_RATIO = 1
/** Cores. The waiting side alone is up to 0.15. */
const STRANGERS_LIMIT = 0.3

/** The report as a person reads it. */
export function renderReport(report: Report): string {
  const { scenarios, workers } = report
  return [
    '',
    ...preamble(report),
    ...scenarios.flatMap((scenario) => ['', ...renderScenario(scenario)]),
    ...(workers === null ? [] : ['', ...renderWorkers(workers)]),
    ...(scenarios.length === 0 ? [] : ['', bold('CPU milliseconds per request, by process'), ...renderCpu(scenarios)]),
    '',
  ].join('\n')
}

function preamble(report: Report): string[] {
  const { machine, scenarios } = report
  const { cpu, cores: count, node, commit } = machine
  const strangers = Math.max(0, ...scenarios.flatMap(({ sides }) => sides.map((side) => side.strangersBusy)))
  return [
    `${bold('Turnpike bench')}  ${[cpu, `${count} cores`, `Node ${node}`, ...(commit === null ? [] : [`commit ${commit}`])].join(', ')}`,
    ...(scenarios.length === 0 ? [] : arrangement(report)),
    ...(strangers > STRANGERS_LIMIT
      ? [styleText('yellow', `Other programs used ${strangers.toFixed(1)} cores meanwhile: only the CPU per request says much.`)]
      : []),
  ]
}

function arrangement({ cores, options, scenarios }: Report): string[] {
  return [
    cores.kind === 'pinned'
      ? `Pinned: the process that answers HTTP, our gateway or the reference, alone on core ${cores.front}; all others on core ${cores.rest},\nours being what the gateway leans on (${servedBy(scenarios)}), and on both sides load, upstream, chain or stub.`
      : `Nothing is pinned (${cores.why}): servers and load share all cores, on both sides alike.`,
    `${options.rounds} rounds of about ${options.seconds} s each, sides in turn; medians. All CPU counts the whole side but load, upstream, chain and stub.`,
  ]
}

/** The processes of ours beside the gateway, as they were found. */
function servedBy(scenarios: readonly ScenarioSummary[]): string {
  const ours = scenarios.flatMap(({ sides }) => sides.slice(0, 1).map((side) => side.serverCpuMsPerRequest))
  return names(ours)
    .filter((name) => name !== 'gateway')
    .join(', ')
}

function renderScenario(scenario: ScenarioSummary): string[] {
  const { id, title, connections, together, notes } = scenario
  return [
    bold(`(${id}) ${title}; ${connections} at once`),
    ...renderComparison(scenario, verdict(scenario)),
    ...(together === null ? [] : ['', '  The same, nothing pinned within the two cores:', ...renderComparison(together)]),
    ...notes.map((note) => `  ${note}`),
  ]
}

function renderComparison({ sides, ratio }: Comparison, verdict = ''): string[] {
  const header = [
    '',
    'req/s',
    'p50 ms',
    'p99 ms',
    'HTTP CPU ms/req',
    'all CPU ms/req',
    'HTTP busy',
    'rest busy',
    'requests',
    'errors',
  ]
  const rows = sides.map((side): Cell[] => [
    side.name,
    side.requestsPerSecond,
    side.p50Ms,
    side.p99Ms,
    side.frontCpuMsPerRequest,
    side.serverCpuMsPerRequestTotal,
    percent(side.frontBusy),
    percent(side.restBusy),
    side.requests.toLocaleString('en-US'),
    side.errors.toLocaleString('en-US'),
  ])
  return [
    ...renderTable(header, rows),
    ...(ratio === null
      ? []
      : [`  ratio ${times(ratio.median)}  (${times(ratio.least)} to ${times(ratio.most)} by round)${verdict}`]),
    ...sides.filter((side) => side.errors > 0).map((side) => `  ${side.name} answered ${answersOf(side)}`),
  ]
}

/** A row per process and a column per scenario and side. */
function renderCpu(scenarios: readonly ScenarioSummary[]): string[] {
  const columns = scenarios.flatMap(({ id, sides }) => sides.map((side) => ({ id, side })))
  const servers = names(columns.map(({ side }) => side.serverCpuMsPerRequest))
  const outside = names(columns.map(({ side }) => side.outsideCpuMsPerRequest))
  const idle = scenarios[0]?.idleCpuMsPerSecond ?? {}
  const row = (name: string, read: (side: SideSummary) => Record<string, number>, idleMs?: number): Cell[] => [
    name,
    ...columns.map(({ side }) => read(side)[name]),
    idleMs,
  ]
  const total = (title: string, read: (side: SideSummary) => Record<string, number>, idleMs?: number): Cell[] => [
    title,
    ...columns.map(({ side }) => sumOf(read(side))),
    idleMs,
  ]
  return renderTable(
    ['', ...columns.map(({ id, side }) => `${id} ${side.name}`), 'idle ms/s'],
    [
      ...servers.map((name) => row(name, (side) => side.serverCpuMsPerRequest, idle[name])),
      total('= servers', (side) => side.serverCpuMsPerRequest, sumOf(idle)),
      ...outside.map((name) => row(name, (side) => side.outsideCpuMsPerRequest)),
      total('= outside', (side) => side.outsideCpuMsPerRequest),
    ],
  )
}

function verdict({ id, ratio }: ScenarioSummary): string {
  if (id !== 'a' || ratio === null) return ''
  const isMet = ratio.median >= TARGET_RATIO
  return `   target ${times(TARGET_RATIO)} ${isMet ? styleText('green', 'met') : styleText('red', 'missed')}`
}

function answersOf(side: SideSummary): string {
  return Object.entries(side.answers)
    .sort(([, one], [, other]) => other - one)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ')
}

function names(records: readonly Record<string, number>[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))]
}

function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

function bold(text: string): string {
  return styleText('bold', text)
}
