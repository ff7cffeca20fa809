import { describe, expect, it } from 'vitest'
import { NotYetItsTurn, takeTurns } from './turns.ts'

class Over extends Error {}

function turnsAt(clock: { ms: number }) {
  return takeTurns({ now: () => clock.ms, isOver: (error) => error instanceof Over })
}
const works = async () => {}
const fails = (error: Error) => () => Promise.reject(error)

describe('takeTurns', () => {
  it('lets a later outcome of a job wait until the earlier one has succeeded, failed tries included', async () => {
    const turns = turnsAt({ ms: 0 })
    await expect(turns.take('job', 5n, fails(new Error('transient')))).rejects.toThrow('transient')
    await expect(turns.take('job', 9n, works)).rejects.toThrow(NotYetItsTurn)
    await turns.take('another job', 9n, works)
    await turns.take('job', 5n, works)
    await turns.take('job', 9n, works)
  })

  it('lets it go on when the earlier one is given up', async () => {
    const turns = turnsAt({ ms: 0 })
    await expect(turns.take('job', 5n, fails(new Over()))).rejects.toThrow(Over)
    await turns.take('job', 9n, works)
  })

  it('does not wait for one that is not tried here any longer', async () => {
    const clock = { ms: 0 }
    const turns = turnsAt(clock)
    await expect(turns.take('job', 5n, fails(new Error('transient')))).rejects.toThrow('transient')
    clock.ms = 29_999
    await expect(turns.take('job', 9n, works)).rejects.toThrow(NotYetItsTurn)
    clock.ms = 30_000
    await turns.take('job', 9n, works)
  })
})
