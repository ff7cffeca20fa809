/** Room for large bodies, by their announced size, all clients together and each by itself; whoever finds none waits a short while. */
export type LargeBodyRoom = {
  reserve(client: string, bytes: number, gone: AbortSignal): Promise<Reservation>
  takenBytes(): number
  waiting(): number
}

export type Reservation =
  | { kind: 'reserved'; release: () => void }
  /** Too many wait already, or the wait was too long. */
  | { kind: 'full'; retryAfterS: number }
  /** This client has too many waiting. */
  | { kind: 'client_full'; retryAfterS: number }
  | { kind: 'gone' }

export type LargeBodyLimits = {
  maxBytes: number
  maxClientBytes: number
  maxWaiting: number
  maxClientWaiting: number
  maxWaitMs: number
}

/**
 * One client may hold half of the room, so a long line of its own keeps nobody else waiting. What waits holds a connection and no
 * memory; sending a client away costs both sides the upload again.
 */
export const WAITING_LIMITS = { maxWaiting: 128, maxClientWaiting: 48, maxWaitMs: 45_000 }
const RETRY_AFTER_S = 3

type Waiter = { client: string; bytes: number; settle: (reservation: Reservation) => void }

export function openLargeBodyRoom(given: Pick<LargeBodyLimits, 'maxBytes'> & Partial<LargeBodyLimits>): LargeBodyRoom {
  const limits: LargeBodyLimits = { maxClientBytes: given.maxBytes / 2, ...WAITING_LIMITS, ...given }
  const takenBy = new Map<string, number>()
  const queue: Waiter[] = []
  let taken = 0

  // A body that is larger than the whole room still gets in, alone: else a small room would refuse it for ever.
  const fits = (bytes: number) => taken === 0 || taken + bytes <= limits.maxBytes
  const fitsClient = (client: string, bytes: number) => {
    const has = takenBy.get(client) ?? 0
    return has === 0 || has + bytes <= limits.maxClientBytes
  }
  const take = (client: string, bytes: number): Reservation => {
    taken += bytes
    takenBy.set(client, (takenBy.get(client) ?? 0) + bytes)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      taken -= bytes
      const left = (takenBy.get(client) ?? 0) - bytes
      if (left > 0) takenBy.set(client, left)
      else takenBy.delete(client)
      admitWaiting()
    }
    return { kind: 'reserved', release }
  }
  /** In turn; a client at its own limit lets the others pass, a body that does not fit the room does not: it would wait for ever. */
  const admitWaiting = () => {
    for (let index = 0; index < queue.length; ) {
      const waiter = queue[index] as Waiter
      if (!fitsClient(waiter.client, waiter.bytes)) index += 1
      else if (!fits(waiter.bytes)) return
      else {
        queue.splice(index, 1)
        waiter.settle(take(waiter.client, waiter.bytes))
      }
    }
  }

  return {
    reserve(client, bytes, gone) {
      if (gone.aborted) return Promise.resolve({ kind: 'gone' })
      const isFirst = queue.every((waiter) => waiter.client !== client && !fitsClient(waiter.client, waiter.bytes))
      if (isFirst && fits(bytes) && fitsClient(client, bytes)) return Promise.resolve(take(client, bytes))
      const ofClient = queue.filter((waiter) => waiter.client === client).length
      if (ofClient >= limits.maxClientWaiting) return Promise.resolve({ kind: 'client_full', retryAfterS: RETRY_AFTER_S })
      if (queue.length >= limits.maxWaiting) return Promise.resolve({ kind: 'full', retryAfterS: RETRY_AFTER_S })
      return new Promise((resolve) => {
        const settle = (reservation: Reservation) => {
          clearTimeout(timer)
          gone.removeEventListener('abort', onGone)
          resolve(reservation)
        }
        const leave = (reservation: Reservation) => {
          queue.splice(queue.indexOf(waiter), 1)
          settle(reservation)
          admitWaiting()
        }
        const onGone = () => leave({ kind: 'gone' })
        const waiter: Waiter = { client, bytes, settle }
        const timer = setTimeout(() => leave({ kind: 'full', retryAfterS: RETRY_AFTER_S }), limits.maxWaitMs)
        gone.addEventListener('abort', onGone)
        queue.push(waiter)
      })
    },
    takenBytes: () => taken,
    waiting: () => queue.length,
  }
}
