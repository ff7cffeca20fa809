import type { LoadPlan } from '../load/load-plan.ts'
import type { Options } from '../options.ts'
import { type Bench, measureIdle, measureRound, measureRounds, type Round, type Side } from './measure.ts'
import { BODY, challengeOf, ROUTE } from './request.ts'
import { compare, type ScenarioSummary } from './summarize.ts'

/** Both sides go on getting faster for about as long: their code is compiled while it runs. */
const WARM_UP_SECONDS = 20

/**
 * (a) A request without a payment, under a fresh idempotency key, to its 402. Measured twice where processes can be pinned: the front
 * alone on its core, which favours whoever leaves work to other processes, and with every process of both sides on both cores.
 */
export async function runUnpaid(bench: Bench, options: Options, onRound: OnRound): Promise<ScenarioSummary> {
  const planOf = (side: Side, seconds = options.seconds): LoadPlan => ({
    kind: 'unpaid',
    url: `${side.url}${ROUTE}`,
    body: BODY,
    connections: options.connections,
    expect: { status: 402, header: 'payment-required' },
    seconds,
  })
  const [ours] = bench.sides
  const idleCpuMsPerSecond = await measureIdle(ours)
  for (const side of bench.sides) {
    await challengeOf(side)
    await measureRound(bench, side, planOf(side, Math.max(options.seconds, WARM_UP_SECONDS)))
  }
  const measured = async (arranged: Bench) =>
    compare(bench.sides, await measureRounds(arranged, options.rounds, (side) => planOf(side), onRound))
  const frontAlone = await measured(bench)
  return {
    id: 'a',
    title: 'Unpaid request to 402, a fresh idempotency key each',
    connections: options.connections,
    ...frontAlone,
    together: bench.cores.kind === 'pinned' ? await measured({ ...bench, arrangement: 'together' }) : null,
    idleCpuMsPerSecond,
    notes: [],
  }
}

export type OnRound = (side: Side, round: number, result: Round) => void
