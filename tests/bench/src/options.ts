import { parseArgs } from 'node:util'

export const SCENARIOS = ['a', 'b', 'c', 'w'] as const
export type ScenarioId = (typeof SCENARIOS)[number]

export type Options = {
  only: readonly ScenarioId[]
  rounds: number
  seconds: number
  connections: number
  /** Payments per side before the measured rounds. */
  warmUpPayments: number
  /** (w) How long one worker is kept under full load. */
  holdSeconds: number
  /** (w) Calls at once of each worker where one is compared with two. */
  workerConcurrency: number
  isQuick: boolean
}

export const USAGE = `npm run bench -- [options]
  --quick           2 rounds of 2 seconds, for a look; the figures are rougher
  --only a,b,c,w    a: unpaid to 402, b: paid, settlement stubbed, c: paid, settled on the local chain, w: the text worker alone
  --rounds N        measured rounds per side, 5 unless told
  --seconds N       length of a round, 5 unless told
  --connections N   requests under way at once, 64 unless told
  --hold N          w: seconds of one worker under full load, 60 unless told
  --calls N         w: calls at once of each worker, for one against two, 250 unless told`

export class UsageError extends Error {
  override name = 'UsageError'
}

export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parse(args)
  if (values.help === true) return 'help'
  const isQuick = values.quick === true
  return {
    only: values.only === undefined ? SCENARIOS : scenarios(values.only),
    rounds: whole('--rounds', values.rounds, 100) ?? (isQuick ? 2 : 5),
    seconds: whole('--seconds', values.seconds, 600) ?? (isQuick ? 2 : 5),
    connections: whole('--connections', values.connections, 1_000) ?? 64,
    warmUpPayments: isQuick ? 300 : 900,
    holdSeconds: whole('--hold', values.hold, 86_400) ?? (isQuick ? 10 : 60),
    workerConcurrency: whole('--calls', values.calls, 500) ?? 250,
    isQuick,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean' },
        only: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        hold: { type: 'string' },
        calls: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function scenarios(text: string): ScenarioId[] {
  const named = text.split(',').map((name) => name.trim())
  const known = SCENARIOS.filter((id) => named.includes(id))
  if (known.length !== new Set(named).size) throw new UsageError(`--only takes some of ${SCENARIOS.join(',')}, not "${text}"`)
  return known
}

function whole(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${name} takes a whole number from 1 to ${most}`)
  return value
}
