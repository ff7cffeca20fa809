/** Thrown to be tried again: an earlier outcome of the same job is under way here. */
export class NotYetItsTurn extends Error {
  override name = 'NotYetItsTurn'
}

// Longer than the longest pause between two tries of the consumer. What was not tried for so long went to another replica.
const STALE_MS = 30_000
const PRUNE_AT = 10_000

export type Turns = { take(job: string, offset: bigint, work: () => Promise<void>): Promise<void> }

/**
 * Outcomes of one job share a partition. The consumer works on many messages of it at once and tries failed ones again later, so a
 * later outcome of a job must wait for the earlier one, failed tries included.
 */
export function takeTurns(deps: { now: () => number; isOver: (error: unknown) => boolean }): Turns {
  const triedAt = new Map<string, Map<bigint, number>>()
  return {
    async take(job, offset, work) {
      const nowMs = deps.now()
      if (triedAt.size >= PRUNE_AT) prune(triedAt, nowMs)
      const offsets = triedAt.get(job) ?? new Map<bigint, number>()
      triedAt.set(job, offsets.set(offset, nowMs))
      for (const [other, atMs] of offsets) {
        if (other < offset && nowMs - atMs < STALE_MS) throw new NotYetItsTurn('an earlier outcome of the job is under way')
      }
      const leave = () => {
        offsets.delete(offset)
        if (offsets.size === 0) triedAt.delete(job)
      }
      try {
        await work()
        leave()
      } catch (error) {
        if (deps.isOver(error)) leave()
        throw error
      }
    },
  }
}

function prune(triedAt: Map<string, Map<bigint, number>>, nowMs: number): void {
  for (const [job, offsets] of triedAt) if ([...offsets.values()].every((atMs) => nowMs - atMs >= STALE_MS)) triedAt.delete(job)
}
