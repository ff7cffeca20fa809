import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** A process to account for; its children count with it. */
export type Accounted = { name: string; pid: number }

/** CPU time so far by process name, user and system together. */
export type CpuTimes = ReadonlyMap<string, number>

type Stat = { parent: number; ownTicks: number; endedChildrenTicks: number }

let msPerTick: number | undefined

function tickMs(): number {
  msPerTick ??= 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return msPerTick
}

/** The processes and everything that they started and that still runs. */
export function familyOf(pids: readonly number[]): number[] {
  const children = childrenIn(readAllStats())
  const family = new Set<number>()
  const add = (pid: number) => {
    if (family.has(pid)) return
    family.add(pid)
    for (const child of children.get(pid) ?? []) add(child)
  }
  for (const pid of pids) add(pid)
  return [...family]
}

export function readCpuTimes(processes: readonly Accounted[]): CpuTimes {
  const stats = readAllStats()
  const children = childrenIn(stats)
  const accounted = new Set(processes.map(({ pid }) => pid))

  const ticksOf = (pid: number): number => {
    const stat = stats.get(pid)
    if (stat === undefined) return 0
    // Postgres works in children of its own; the supervisor's children are named themselves.
    const living = (children.get(pid) ?? []).filter((child) => !accounted.has(child))
    return stat.ownTicks + stat.endedChildrenTicks + living.reduce((sum, child) => sum + ticksOf(child), 0)
  }
  const times = new Map<string, number>()
  for (const { name, pid } of processes) times.set(name, (times.get(name) ?? 0) + ticksOf(pid) * tickMs())
  return times
}

/** Milliseconds that all cores together have spent busy so far, whoever used them. */
export function readMachineBusyMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    readFileSync('/proc/stat', 'utf8').slice(0, 200).split('\n', 1)[0]?.trim().split(/\s+/).slice(1).map(Number) ?? []
  return (user + nice + system + irq + softirq + steal) * tickMs()
}

/** What each spent between two readings; a process that was started again meanwhile counts from its start. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): Record<string, number> {
  return Object.fromEntries(
    [...after].map(([name, ms]) => [name, ms >= (before.get(name) ?? 0) ? ms - (before.get(name) ?? 0) : ms]),
  )
}

function childrenIn(stats: ReadonlyMap<number, Stat>): Map<number, number[]> {
  const children = new Map<number, number[]>()
  for (const [pid, { parent }] of stats) children.set(parent, [...(children.get(parent) ?? []), pid])
  return children
}

function readAllStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = readStat(Number(entry))
    if (stat !== undefined) stats.set(Number(entry), stat)
  }
  return stats
}

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in parentheses and may hold spaces: state is the first field after the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const at = (index: number) => Number(fields[index])
    return { parent: at(1), ownTicks: at(11) + at(12), endedChildrenTicks: at(13) + at(14) }
  } catch {
    return undefined
  }
}
