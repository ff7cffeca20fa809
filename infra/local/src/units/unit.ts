import type { ToolDeps } from '../process/run-tool.ts'
import type { Command } from '../process/running-process.ts'

/**
 * One thing that the supervisor brings up.
 * - infrastructure: a process that stays down when it dies, until somebody starts it again
 * - service: a process that is started again when it dies
 * - managed: started again when it dies, and stopped and started by `npm run part`, after which it stays as it was left
 * - task: a process that has done its work when it ends with 0
 * - yours: runs already, elsewhere
 */
export type UnitKind = 'infrastructure' | 'service' | 'managed' | 'task' | 'yours'

export interface Unit {
  readonly name: string
  readonly replica: number
  readonly kind: UnitKind
  /** Names of the units that must be ready before it is started. What it needs on disk is fetched without waiting for them. */
  readonly needs: readonly string[]
  /** Stopped from the highest to the lowest; equals together. */
  readonly stopRank: number
  /** Shown once it answers. */
  readonly where: string
  readonly internalUrl?: string
  readonly readyTimeoutMs: number
  obtain(tools: ToolDeps): Promise<void>
  /** Makes its folder fit for a start and says how to start it; undefined where there is nothing to start. */
  launch(): Promise<Command | undefined>
  answers(): Promise<boolean>
  /** Makes what its clients expect to find in it. `say` tells whoever watches. */
  fill(say: (line: string) => void): Promise<void>
}

/** `gateway`, and `gateway 1` for the second of several. */
export function titleOf(unit: Pick<Unit, 'name' | 'replica'>): string {
  return unit.replica === 0 ? unit.name : `${unit.name} ${unit.replica}`
}
