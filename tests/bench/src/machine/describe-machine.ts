import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export type Machine = {
  cpu: string
  cores: number
  memoryGib: number
  node: string
  commit: string | null
  /** Work of others before we start. */
  loadAverage: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    commit: commit(),
    loadAverage: loadavg()[0] ?? 0,
  }
}

function commit(): string | null {
  try {
    const read = (args: string[]) =>
      execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    const isClean = read(['status', '--porcelain']) === ''
    return `${read(['rev-parse', '--short', 'HEAD'])}${isClean ? '' : ' with changes'}`
  } catch {
    return null
  }
}
