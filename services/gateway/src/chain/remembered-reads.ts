export type RememberedReads<Value> = {
  /** `fresh` skips what is remembered. Rejects as `read` does; failures are not remembered. */
  read(key: string, options?: { fresh?: boolean }): Promise<Value>
}

/**
 * What was read a moment ago is not read again, and who asks for what is being read waits for that reading. An age counts from before
 * the reading began, so that nothing remembered is older than it says.
 */
export function rememberedReads<Value>(deps: {
  read(key: string): Promise<Value>
  maxAgeMs(value: Value): number
  maxRemembered: number
  now(): number
}): RememberedReads<Value> {
  const remembered = new Map<string, { value: Value; until: number }>()
  const reading = new Map<string, Promise<Value>>()

  async function readNow(key: string): Promise<Value> {
    const startedAt = deps.now()
    const value = await deps.read(key)
    remembered.delete(key)
    remembered.set(key, { value, until: startedAt + deps.maxAgeMs(value) })
    const oldest = remembered.keys().next()
    if (remembered.size > deps.maxRemembered && !oldest.done) remembered.delete(oldest.value)
    return value
  }

  return {
    async read(key, { fresh = false } = {}) {
      const known = remembered.get(key)
      if (!fresh && known !== undefined && deps.now() < known.until) return known.value
      const underway = fresh ? undefined : reading.get(key)
      if (underway !== undefined) return underway
      const promise = readNow(key).finally(() => {
        if (reading.get(key) === promise) reading.delete(key)
      })
      reading.set(key, promise)
      return promise
    },
  }
}
