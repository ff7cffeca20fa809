const FRESH_MS = 1_000

export type BlockClock = { current(): Promise<bigint> }

/**
 * A block from which a settlement is looked for. An older one is as safe as the newest and only costs a longer look, so it is asked
 * at most once a second, and a chain that is away does not hold up the storing of results. Throws only when it never was asked with
 * success.
 */
export function openBlockClock(deps: { readBlockNumber: () => Promise<bigint>; now: () => number }): BlockClock {
  let known: { block: bigint; atMs: number } | undefined
  let asking: Promise<bigint> | undefined
  const ask = async () => {
    const atMs = deps.now()
    const block = await deps.readBlockNumber()
    known = { block, atMs }
    return block
  }
  return {
    async current() {
      if (known !== undefined && deps.now() - known.atMs < FRESH_MS) return known.block
      asking ??= ask().finally(() => {
        asking = undefined
      })
      try {
        return await asking
      } catch (error) {
        if (known !== undefined) return known.block
        throw error
      }
    },
  }
}
