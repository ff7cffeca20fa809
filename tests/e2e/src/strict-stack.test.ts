import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DIALECTS } from './dialects.ts'
import { describeChainClock } from './strict/chain-clock.ts'
import { describeLimits } from './strict/limits.ts'
import { describeSafety } from './strict/safety.ts'
import { describeStandstill } from './strict/standstill.ts'
import { openStrictStack, type StrictStack, unmetStrictFailures } from './strict/strict-stack.ts'

let opened: StrictStack | undefined

// Ends a start that hangs: twenty programs begin, which a starved machine gives minutes.
const START_TIMEOUT_MS = 600_000

beforeAll(async () => {
  opened = await openStrictStack()
}, START_TIMEOUT_MS)
afterAll(() => opened?.close())

function strict(): StrictStack {
  if (opened === undefined) throw new Error('the strict stack did not start')
  return opened
}

describe.each(DIALECTS)('a strict operator, asked in %s', (dialect) => {
  const spoken = () => strict().speaking(dialect)
  describeLimits(spoken)
  describeSafety(spoken)
  describeStandstill(spoken)

  it('leaves no row of the failure contract unwalked', () => {
    expect(unmetStrictFailures(dialect)).toEqual([])
  })
})

describeChainClock(strict)
