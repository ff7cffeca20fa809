import { givenOptions, UsageError, wholeNumber } from '@turnpike/testing/command-line'

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

export function readOptions(args: readonly string[]): Options | 'help' {
  const values = givenOptions(args, {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string' },
    hold: { type: 'string' },
    calls: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  })
  if (values.help === true) return 'help'
  const isQuick = values.quick === true
  return {
    only: values.only === undefined ? SCENARIOS : scenarios(values.only),
    rounds: wholeNumber('--rounds', values.rounds, 100) ?? (isQuick ? 2 : 5),
    seconds: wholeNumber('--seconds', values.seconds, 600) ?? (isQuick ? 2 : 5),
    connections: wholeNumber('--connections', values.connections, 1_000) ?? 64,
    warmUpPayments: isQuick ? 300 : 900,
    holdSeconds: wholeNumber('--hold', values.hold, 86_400) ?? (isQuick ? 10 : 60),
    workerConcurrency: wholeNumber('--calls', values.calls, 500) ?? 250,
    isQuick,
  }
}

function scenarios(text: string): ScenarioId[] {
  const named = text.split(',').map((name) => name.trim())
  const known = SCENARIOS.filter((id) => named.includes(id))
  if (known.length !== new Set(named).size) throw new UsageError(`--only takes some of ${SCENARIOS.join(',')}, not "${text}"`)
  return known
}
