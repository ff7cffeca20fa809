import { join } from 'node:path'
import type { PaymentRequired } from '@x402/core/types'
import type { Hex } from 'viem'
import type { LoadPlan } from '../load/load-plan.ts'
import type { Options, ScenarioId } from '../options.ts'
import { signPayments } from '../payments/sign-payments.ts'
import { admissionCost, countingCommands, describeAdmission, readMeter } from './admission-cost.ts'
import { type Bench, measureIdle, measureRound, measureRounds, type Side } from './measure.ts'
import { BODY, challengeOf, ROUTE } from './request.ts'
import { compare, type ScenarioSummary } from './summarize.ts'
import type { OnRound } from './unpaid.ts'

const LEAST_PER_ROUND = 100
const MOST_PER_ROUND = 4_000

export type PaidScenario = {
  id: Extract<ScenarioId, 'b' | 'c'>
  title: string
  /** Of the wallets that pay, in turn. */
  privateKeys: readonly Hex[]
  onSigning: (payments: number) => void
  onRound: OnRound
  /** Of our side, for what its admission costs. */
  ours: { gatewayUrl: string; redisUrl: string }
  /** After the last round: what can be said about the payments that both sides together answered with 200. */
  check: (answered: number) => Promise<readonly string[]>
}

/** (b) and (c): the paid half of a request, signed beforehand, each payment used once, to its 200. */
export async function runPaid(bench: Bench, options: Options, scenario: PaidScenario): Promise<ScenarioSummary> {
  const [ours] = bench.sides
  const idleCpuMsPerSecond = await measureIdle(ours)
  const challenges = new Map<Side, PaymentRequired>()
  for (const side of bench.sides) challenges.set(side, await challengeOf(side))
  const planOf = (side: Side, part: string, first: number, count: number): LoadPlan => ({
    kind: 'paid',
    url: `${side.url}${ROUTE}`,
    body: BODY,
    connections: options.connections,
    expect: { status: 200, header: 'payment-response' },
    paymentsFile: fileOf(side, part),
    first,
    count,
  })
  const fileOf = (side: Side, part: string) =>
    join(bench.run.folder, `payments-${scenario.id}-${bench.sides.indexOf(side)}-${part}`)
  const sign = async (side: Side, part: string, count: number) => {
    const required = challenges.get(side)
    if (required === undefined) throw new Error(`${side.name} was not asked for its challenge`)
    await signPayments({ required, privateKeys: scenario.privateKeys, count, file: fileOf(side, part) })
  }

  let commands: { sentBy: Record<string, number> } = { sentBy: {} }
  // The warm-up also tells how many payments a round of the wanted length takes.
  const perRound = new Map<Side, number>()
  let answered = 0
  scenario.onSigning(options.warmUpPayments * bench.sides.length)
  for (const side of bench.sides) await sign(side, 'warm-up', options.warmUpPayments)
  const cold = Math.floor((options.warmUpPayments * 2) / 3)
  for (const side of bench.sides) {
    const coldRound = () => measureRound(bench, side, planOf(side, 'warm-up', 0, cold))
    const counted = side === ours ? await countingCommands(scenario.ours.redisUrl, coldRound) : undefined
    if (counted !== undefined) commands = counted
    const first = counted?.result ?? (await coldRound())
    const warm = await measureRound(bench, side, planOf(side, 'warm-up', cold, options.warmUpPayments - cold))
    if (warm.errors === warm.requests) throw new Error(`${side.name} answered no payment: ${JSON.stringify(warm.answers)}`)
    answered += first.requests - first.errors + warm.requests - warm.errors
    const count = Math.round(warm.requestsPerSecond * options.seconds)
    perRound.set(side, Math.min(MOST_PER_ROUND, Math.max(LEAST_PER_ROUND, count)))
  }
  const countOf = (side: Side) => perRound.get(side) ?? LEAST_PER_ROUND
  scenario.onSigning(bench.sides.reduce((total, side) => total + countOf(side) * options.rounds, 0))
  for (const side of bench.sides) await sign(side, 'measured', countOf(side) * options.rounds)

  const before = await readMeter(scenario.ours.gatewayUrl, scenario.ours.redisUrl)
  const results = await measureRounds(
    bench,
    options.rounds,
    (side, round) => planOf(side, 'measured', round * countOf(side), countOf(side)),
    scenario.onRound,
  )
  const after = await readMeter(scenario.ours.gatewayUrl, scenario.ours.redisUrl)
  const admission = admissionCost(before, after, commands, cold)
  for (const rounds of results.values()) for (const round of rounds) answered += round.requests - round.errors
  return {
    id: scenario.id,
    title: scenario.title,
    connections: options.connections,
    ...compare(bench.sides, results),
    together: null,
    idleCpuMsPerSecond,
    notes: [describeAdmission(admission), ...(await scenario.check(answered))],
  }
}
