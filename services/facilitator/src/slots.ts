/** So many at the same time, so many waiting in line, and no more. */
export interface Slots {
  /** Resolves with what gives the slot back (once, however often it is called), or with undefined when the line is full. */
  take(): Promise<(() => void) | undefined>
}

export function createSlots(limits: { maxTaken: number; maxWaiting: number }): Slots {
  const line: (() => void)[] = []
  let taken = 0

  return {
    async take() {
      if (taken < limits.maxTaken) taken += 1
      else if (line.length >= limits.maxWaiting) return undefined
      // Who gives a slot back hands it to the first in line; it stays taken.
      else await new Promise<void>((resolve) => line.push(resolve))
      let isMine = true
      return () => {
        if (!isMine) return
        isMine = false
        const next = line.shift()
        if (next === undefined) taken -= 1
        else next()
      }
    },
  }
}
