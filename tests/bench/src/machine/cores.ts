import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** One core for the process that answers HTTP, alone, and one for everything that it leans on and the load. */
export type Cores = { kind: 'pinned'; front: number; rest: number } | { kind: 'unpinned'; why: string }
export type Place = 'front' | 'rest' | 'both'

/** The front of either side has a core to itself, so that its requests per second are requests per second and core. */
export function chooseCores(): Cores {
  const [front, rest] = allowedCores()
  if (front === undefined || rest === undefined) return { kind: 'unpinned', why: 'only one core may be used' }
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' })
  } catch {
    return { kind: 'unpinned', why: 'taskset is not installed' }
  }
  return { kind: 'pinned', front, rest }
}

/** Puts running processes, with every thread they have, on one core or on both. What they start later inherits it. */
export async function pin(cores: Cores, place: Place, pids: readonly number[]): Promise<void> {
  if (cores.kind === 'unpinned') return
  const list = place === 'both' ? `${cores.front},${cores.rest}` : String(cores[place])
  for (const pid of pids) {
    await run('taskset', ['--all-tasks', '--cpu-list', '--pid', list, String(pid)]).catch((error: unknown) => {
      // A process may end between being listed and being pinned.
      if (isAlive(pid)) throw error
    })
  }
}

export function isAlive(pid: number): boolean {
  try {
    // A zombie has ended; its parent has only not asked for its exit code yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

function allowedCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  })
}
