/**
 * The offsets of one partition that were delivered and cannot be committed yet. Kafka keeps one number per partition, so what
 * may be committed is the offset below which everything is done, in whatever order it was done.
 */
export type OffsetWindow = {
  /** Offsets come in ascending order. */
  add(offset: bigint): void
  finish(offset: bigint): void
  has(offset: bigint): boolean
  /** Everything below was delivered, or is a gap in the log (control records, compaction). */
  deliveredBelow(offset: bigint): void
  /** One above the last offset that was delivered; undefined before the first. */
  end(): bigint | undefined
  /** The first offset that is not done; undefined before the first delivery. */
  watermark(): bigint | undefined
  /** The first that is not done, if one is. */
  oldestUnfinished(): bigint | undefined
  /** Delivered offsets at or above the watermark: what would be delivered again after a crash. */
  size(): number
}

export function createOffsetWindow(): OffsetWindow {
  // `delivered` from `head` on are those at or above the watermark; cut off now and then, not on every step.
  let delivered: bigint[] = []
  let head = 0
  let end: bigint | undefined
  const unfinished = new Set<bigint>()

  function advance(): void {
    for (let offset = delivered[head]; offset !== undefined && !unfinished.has(offset); offset = delivered[head]) head += 1
    if (head > 1_000 && head * 2 > delivered.length) {
      delivered = delivered.slice(head)
      head = 0
    }
  }

  return {
    add(offset) {
      delivered.push(offset)
      unfinished.add(offset)
      end = offset + 1n
    },
    finish(offset) {
      if (unfinished.delete(offset)) advance()
    },
    has: (offset) => unfinished.has(offset),
    deliveredBelow(offset) {
      if (end === undefined || offset > end) end = offset
    },
    end: () => end,
    watermark: () => delivered[head] ?? end,
    oldestUnfinished: () => delivered[head],
    size: () => delivered.length - head,
  }
}
