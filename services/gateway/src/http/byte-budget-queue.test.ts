import { describe, expect, it } from 'vitest'
import { type LargeBodyLimits, openLargeBodyRoom, type Reservation } from './byte-budget-queue.ts'

const here = new AbortController().signal
const limits = { maxBytes: 100, maxClientBytes: 50, maxWaiting: 4, maxClientWaiting: 2, maxWaitMs: 60_000 }
const open = (given: Partial<LargeBodyLimits> = {}) => openLargeBodyRoom({ ...limits, ...given })

/** Reserves, and says what came of it so far. */
function reserve(room: ReturnType<typeof open>, client: string, bytes: number, gone = here) {
  const asked: { reservation?: Reservation; settled: Promise<Reservation>; release(): void } = {
    settled: room.reserve(client, bytes, gone).then((reservation) => {
      asked.reservation = reservation
      return reservation
    }),
    release() {
      if (asked.reservation?.kind === 'reserved') asked.reservation.release()
    },
  }
  return asked
}
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('room for large bodies', () => {
  it('is given while there is some, and to the next in turn when it is given back', async () => {
    const room = open()
    const [a, b, c, d] = [reserve(room, 'a', 50), reserve(room, 'b', 50), reserve(room, 'c', 50), reserve(room, 'd', 50)]
    await settle()
    expect([a, b, c, d].map((asked) => asked.reservation?.kind)).toEqual(['reserved', 'reserved', undefined, undefined])
    expect([room.takenBytes(), room.waiting()]).toEqual([100, 2])
    b.release()
    expect((await c.settled).kind).toBe('reserved')
    expect(d.reservation).toBeUndefined()
    a.release()
    expect((await d.settled).kind).toBe('reserved')
    c.release()
    d.release()
    d.release()
    expect([room.takenBytes(), room.waiting()]).toEqual([0, 0])
  })

  it('is kept from a client that holds its part, whom others pass', async () => {
    const room = open()
    const first = reserve(room, 'a', 40)
    const second = reserve(room, 'a', 40)
    const other = reserve(room, 'b', 40)
    expect((await other.settled).kind).toBe('reserved')
    expect(second.reservation).toBeUndefined()
    first.release()
    expect((await second.settled).kind).toBe('reserved')
  })

  it('is not overtaken by smaller bodies', async () => {
    const room = open({ maxClientBytes: 100 })
    const large = reserve(room, 'a', 90)
    const next = reserve(room, 'b', 90)
    const small = reserve(room, 'c', 10)
    await settle()
    expect([next.reservation, small.reservation]).toEqual([undefined, undefined])
    large.release()
    expect((await next.settled).kind).toBe('reserved')
    expect((await small.settled).kind).toBe('reserved')
  })

  it('is refused to whom waiting in line does not help, with the time to come back', async () => {
    const room = open()
    for (const client of ['a', 'b']) reserve(room, client, 50)
    const waiting = ['a', 'a', 'b', 'b'].map((client) => reserve(room, client, 50))
    expect(await reserve(room, 'a', 50).settled).toEqual({ kind: 'client_full', retryAfterS: 3 })
    expect(await reserve(room, 'c', 50).settled).toEqual({ kind: 'full', retryAfterS: 3 })
    expect(waiting.map((asked) => asked.reservation)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('is refused after the longest wait', async () => {
    const room = open({ maxWaitMs: 1 })
    reserve(room, 'a', 100)
    expect(await reserve(room, 'b', 50).settled).toEqual({ kind: 'full', retryAfterS: 3 })
    expect(room.waiting()).toBe(0)
  })

  it('is not held for a client that has gone', async () => {
    const room = open()
    const held = reserve(room, 'a', 100)
    const leaving = new AbortController()
    const left = reserve(room, 'b', 50, leaving.signal)
    const next = reserve(room, 'c', 50)
    leaving.abort()
    expect(await left.settled).toEqual({ kind: 'gone' })
    await held.settled
    held.release()
    expect((await next.settled).kind).toBe('reserved')
    expect(await reserve(room, 'd', 1, leaving.signal).settled).toEqual({ kind: 'gone' })
  })

  it('is given to a body larger than all of it, alone', async () => {
    const room = open()
    const small = reserve(room, 'a', 10)
    const huge = reserve(room, 'b', 1_000)
    await settle()
    expect(huge.reservation).toBeUndefined()
    small.release()
    expect((await huge.settled).kind).toBe('reserved')
  })
})
