import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeLimits } from './strict/limits.ts'
import { describeSafety } from './strict/safety.ts'
import { describeStandstill } from './strict/standstill.ts'
import { openStrictStack, type StrictStack, unmetStrictFailures } from './strict/strict-stack.ts'

let opened: StrictStack | undefined

beforeAll(async () => {
  opened = await openStrictStack()
})
afterAll(() => opened?.close())

function strict(): StrictStack {
  if (opened === undefined) throw new Error('the strict stack did not start')
  return opened
}

describeLimits(strict)
describeSafety(strict)
describeStandstill(strict)

it('leaves no row of the failure contract unwalked', () => {
  expect(unmetStrictFailures()).toEqual([])
})
