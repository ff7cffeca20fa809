import { randomFrom } from '@turnpike/crowd'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeFault } from './fault.ts'
import { type FaultRun, type Outcome, startFaultRun } from './fault-run.ts'
import { isClean, renderReport } from './report.ts'
import { boundedSchedule } from './schedule.ts'

// Drawn so that Kafka, Postgres, S3 and the sandbox die, Redis is stopped, the chain freezes, both vendors misbehave, and the services die at
// their worst moments.
const SEED = 7_525
const CLIENTS = 8
const START_TIMEOUT_MS = 180_000
const STRIKE_TIMEOUT_MS = 300_000

let run: FaultRun | undefined
let outcome: Outcome | undefined

function theRun(): FaultRun {
  if (run === undefined) throw new Error('the stack did not start')
  return run
}

function theOutcome(): Outcome {
  if (outcome === undefined) throw new Error('the requests were not brought to their end')
  return outcome
}

beforeAll(async () => {
  run = await startFaultRun({ random: randomFrom(SEED), clients: CLIENTS })
}, START_TIMEOUT_MS)
afterAll(async () => {
  // What went wrong is in its logs.
  const keepHome = outcome === undefined || !isClean(outcome)
  await run?.stop({ keepHome })
  if (keepHome && run !== undefined) console.log(`the stack's logs: ${run.stack.home}/logs`)
}, START_TIMEOUT_MS)

describe(`a fault of seed ${SEED} strikes while paid requests are in flight, and fresh ones are served again`, () => {
  for (const planned of boundedSchedule(randomFrom(SEED))) {
    it(
      describeFault(planned),
      async () => {
        const struck = await theRun().strike(planned)
        expect(struck.inFlight.length).toBeGreaterThan(0)
      },
      STRIKE_TIMEOUT_MS,
    )
  }
})

describe('after all faults', () => {
  beforeAll(async () => {
    outcome = await theRun().settleUp()
    console.log(renderReport(theRun().struck, outcome))
  }, 240_000)

  it('every request has come to its end: paid, or closed without a charge', () => {
    expect(theOutcome().unfinished).toEqual([])
    expect(theOutcome().books.results).toBeGreaterThan(30)
  })

  it('every paid result comes back the same, to its key and any signature by its payer', () => {
    expect(theOutcome().replayed).toBe(theOutcome().books.results)
  })

  it('no client saw an answer that the contract forbids', () => {
    expect(theOutcome().violations).toEqual([])
  })

  it('chain, receipts and results are the same: nobody paid twice, nobody paid for nothing', () => {
    expect(theOutcome().books.differences).toEqual([])
    expect(theOutcome().books.receipts).toBe(theOutcome().books.transfers)
    expect(theOutcome().books.results).toBe(theOutcome().books.transfers)
  })

  it('the audit of the ledger finds no difference, nothing due for refund, and exactly what the clients have', () => {
    const { books, audit } = theOutcome()
    expect(audit).toEqual({
      ...{ status: 0, differences: 0, refunds: 0, foreign: 0, text: '' },
      ...{ transfers: books.transfers, receipts: books.receipts, results: books.results },
    })
  })
})
