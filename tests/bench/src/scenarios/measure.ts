import type { BenchRun } from '../bench-run.ts'
import type { LoadPlan, LoadResult } from '../load/load-plan.ts'
import { type Cores, pin } from '../machine/cores.ts'
import { type Accounted, cpuBetween, familyOf, readCpuTimes, readMachineBusyMs } from '../machine/cpu-time.ts'

/** One of the two that are compared. */
export type Side = {
  name: string
  url: string
  /** The one of its servers that answers HTTP, by name. */
  front: string
  /** What its operator runs. Read anew for each round: a service that died has another pid. */
  servers: () => readonly Accounted[]
  /** What serves it from outside. */
  outside: () => readonly Accounted[]
}

export type Round = LoadResult & {
  /** Whole round, by process. */
  serverCpuMs: Record<string, number>
  outsideCpuMs: Record<string, number>
  /** Work that is neither: the waiting side's idling, and programs that have nothing to do with us. */
  strangersCpuMs: number
}

/** `front alone`: the process that answers HTTP has one core, everything else the other. `together`: everything has both. */
export type Arrangement = 'front alone' | 'together'

export type Bench = {
  run: BenchRun
  cores: Cores
  arrangement: Arrangement
  sides: readonly [Side] | readonly [Side, Side]
}

export async function measureRound(bench: Bench, side: Side, plan: LoadPlan): Promise<Round> {
  const { run } = bench
  const servers = side.servers()
  const outside = [...side.outside(), { name: 'load', pid: run.load.pid }]
  await arrange(bench, side, [...servers, ...outside])

  const machineBefore = readMachineBusyMs()
  const serversBefore = readCpuTimes(servers)
  const outsideBefore = readCpuTimes(outside)
  const result = await run.drive(plan)
  const serverCpuMs = cpuBetween(serversBefore, readCpuTimes(servers))
  const outsideCpuMs = cpuBetween(outsideBefore, readCpuTimes(outside))
  const strangersCpuMs = Math.max(0, readMachineBusyMs() - machineBefore - sumOf(serverCpuMs) - sumOf(outsideCpuMs))
  return { ...result, serverCpuMs, outsideCpuMs, strangersCpuMs }
}

/** The same rule for both sides; the one that waits idles with the rest. */
async function arrange({ cores, arrangement, sides }: Bench, side: Side, busy: readonly Accounted[]): Promise<void> {
  const waiting = sides.flatMap((other) => [...other.servers(), ...other.outside()])
  const all = familyOf([...busy, ...waiting].map(({ pid }) => pid))
  if (arrangement === 'together') return pin(cores, 'both', all)
  const front = busy.filter(({ name }) => name === side.front).map(({ pid }) => pid)
  if (front.length === 0) throw new Error(`${side.name} has no process ${side.front}`)
  await pin(cores, 'front', front)
  await pin(
    cores,
    'rest',
    all.filter((pid) => !front.includes(pid)),
  )
}

/** Sides alternate and take turns in going first, so that what drifts over the run hits both. */
export async function measureRounds(
  bench: Bench,
  rounds: number,
  planOf: (side: Side, round: number) => LoadPlan,
  onRound: (side: Side, round: number, result: Round) => void,
): Promise<Map<Side, Round[]>> {
  const results = new Map<Side, Round[]>(bench.sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? bench.sides : [...bench.sides].reverse()
    for (const side of order) {
      const result = await measureRound(bench, side, planOf(side, round))
      results.get(side)?.push(result)
      onRound(side, round, result)
    }
  }
  return results
}

const IDLE_MS = 3_000

/** What the servers of a side use while nobody asks them anything. */
export async function measureIdle(side: Side): Promise<Record<string, number>> {
  const before = readCpuTimes(side.servers())
  const startedAt = performance.now()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const seconds = (performance.now() - startedAt) / 1000
  const spent = cpuBetween(before, readCpuTimes(side.servers()))
  return Object.fromEntries(Object.entries(spent).map(([name, ms]) => [name, ms / seconds]))
}

export function sumOf(values: Readonly<Record<string, number>>): number {
  return Object.values(values).reduce((total, value) => total + value, 0)
}
