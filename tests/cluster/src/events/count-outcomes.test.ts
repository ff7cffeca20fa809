import { expect, it } from 'vitest'
import { writtenBetween } from './count-outcomes.ts'

it('says how many of each version were written between two counts', () => {
  const before = { versions: { '1': 10 }, deadLetters: 0 }
  const after = { versions: { '1': 12, '2': 5 }, deadLetters: 0 }
  expect(writtenBetween(before, after)).toEqual({ v1: 2, v2: 5 })
  expect(writtenBetween(before, before)).toEqual({ v1: 0 })
})
