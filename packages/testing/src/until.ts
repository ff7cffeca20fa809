const EVERY_MS = 25

// Ends a wait that hangs, and no other: as long as it can be for its message to come before the test's own end (vitest.config.ts).
const HANGS_MS = 100_000

/** Waits until `probe` gives something truthy, and returns it. Fails with the last thing seen when it takes too long. */
export async function until<T>(what: string, probe: () => T | Promise<T>, timeoutMs = HANGS_MS): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs
  let last: unknown
  while (Date.now() < deadline) {
    try {
      const value = await probe()
      if (value) return value as NonNullable<T>
      last = value
    } catch (error) {
      last = error
    }
    await new Promise((next) => setTimeout(next, EVERY_MS))
  }
  throw new Error(
    `${what} did not happen within ${timeoutMs} ms; last seen: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
  )
}
