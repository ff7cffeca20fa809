const EVERY_MS = 25

/** Waits until `probe` gives something truthy, and returns it. Fails with the last thing seen when it takes too long. */
export async function until<T>(what: string, probe: () => T | Promise<T>, timeoutMs = 30_000): Promise<NonNullable<T>> {
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
