import type { ScenarioId } from '../options.ts'
import { type Round, type Side, sumOf } from './measure.ts'

export type SideSummary = {
  name: string
  /** Medians over the rounds. */
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  serverCpuMsPerRequest: Record<string, number>
  outsideCpuMsPerRequest: Record<string, number>
  frontCpuMsPerRequest: number
  serverCpuMsPerRequestTotal: number
  /** How busy one core would be with it, 1 being full. */
  frontBusy: number
  /** Everything else of that side, load included. */
  restBusy: number
  strangersBusy: number
  /** Sums over the rounds. */
  requests: number
  errors: number
  answers: Record<string, number>
  rounds: readonly Round[]
}

export type Spread = { median: number; least: number; most: number }

export type Comparison = { sides: readonly SideSummary[]; ratio: Spread | null }

export type ScenarioSummary = {
  id: ScenarioId
  title: string
  connections: number
  sides: readonly SideSummary[]
  /** Ours to the reference's requests per second, round by round. */
  ratio: Spread | null
  /** The same again with every process of both sides on both cores. */
  together: Comparison | null
  idleCpuMsPerSecond: Record<string, number>
  /** What was checked beside the figures. */
  notes: readonly string[]
}

function summarizeSide(side: Side, rounds: readonly Round[]): SideSummary {
  const over = (read: (round: Round) => number) => median(rounds.map(read))
  const perRequest = (read: (round: Round) => Record<string, number>) => {
    const names = new Set(rounds.flatMap((round) => Object.keys(read(round))))
    return Object.fromEntries([...names].map((name) => [name, over((round) => (read(round)[name] ?? 0) / round.requests)]))
  }
  const frontMs = (round: Round) => round.serverCpuMs[side.front] ?? 0
  const answers: Record<string, number> = {}
  for (const round of rounds) {
    for (const [answer, count] of Object.entries(round.answers)) answers[answer] = (answers[answer] ?? 0) + count
  }
  return {
    name: side.name,
    requestsPerSecond: over((round) => round.requestsPerSecond),
    p50Ms: over((round) => round.p50Ms),
    p99Ms: over((round) => round.p99Ms),
    serverCpuMsPerRequest: perRequest((round) => round.serverCpuMs),
    outsideCpuMsPerRequest: perRequest((round) => round.outsideCpuMs),
    frontCpuMsPerRequest: over((round) => frontMs(round) / round.requests),
    serverCpuMsPerRequestTotal: over((round) => sumOf(round.serverCpuMs) / round.requests),
    frontBusy: over((round) => frontMs(round) / round.elapsedMs),
    restBusy: over((round) => (sumOf(round.serverCpuMs) + sumOf(round.outsideCpuMs) - frontMs(round)) / round.elapsedMs),
    strangersBusy: over((round) => round.strangersCpuMs / round.elapsedMs),
    requests: rounds.reduce((total, round) => total + round.requests, 0),
    errors: rounds.reduce((total, round) => total + round.errors, 0),
    answers,
    rounds,
  }
}

export function compare(sides: readonly Side[], results: ReadonlyMap<Side, readonly Round[]>): Comparison {
  const [ours = [], reference] = sides.map((side) => results.get(side) ?? [])
  return {
    sides: sides.map((side) => summarizeSide(side, results.get(side) ?? [])),
    ratio: reference === undefined ? null : ratioOf(ours, reference),
  }
}

function ratioOf(ours: readonly Round[], reference: readonly Round[]): Spread {
  const ratios = ours.map((round, index) => round.requestsPerSecond / (reference[index]?.requestsPerSecond ?? Number.NaN))
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}
