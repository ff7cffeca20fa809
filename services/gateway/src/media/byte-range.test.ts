import { describe, expect, it } from 'vitest'
import { rangeOf, readsFromStart } from './byte-range.ts'

const part = (first: number, last: number) => ({ kind: 'part', range: { first, last } })
const whole = { kind: 'whole' }
const unsatisfiable = { kind: 'unsatisfiable' }

describe('a Range header for a file of 1000 bytes', () => {
  it.each([
    [undefined, whole],
    ['', whole],
    ['bytes=0-', part(0, 999)],
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-999', part(0, 999)],
    ['bytes=0-1000000', part(0, 999)],
    ['bytes=999-', part(999, 999)],
    ['bytes=500-599', part(500, 599)],
    ['BYTES=500-599', part(500, 599)],
    ['bytes= 500-599 ', part(500, 599)],
    ['bytes=-1', part(999, 999)],
    ['bytes=-1000', part(0, 999)],
    // A suffix longer than the file is the file, not an error.
    ['bytes=-5000', part(0, 999)],
    ['bytes=1000-', unsatisfiable],
    ['bytes=1000-2000', unsatisfiable],
    ['bytes=999999999999999-', unsatisfiable],
    ['bytes=-0', unsatisfiable],
    ['bytes=599-500', whole],
    ['bytes=-', whole],
    ['bytes=0-0,5-9', whole],
    ['bytes=a-b', whole],
    ['bytes=0x1-5', whole],
    ['bytes=+1-5', whole],
    ['bytes=1.5-5', whole],
    ['bytes=1-5;', whole],
    [`bytes=${'9'.repeat(40)}-`, whole],
    ['bytes 0-5', whole],
    ['items=0-5', whole],
  ])('%j is answered with %j', (header, answer) => {
    expect(rangeOf(header, 1_000)).toEqual(answer)
  })

  it.each([
    [undefined, true],
    ['bytes=0-', true],
    ['bytes=0-1', false],
    ['bytes=5-', false],
    ['bytes=-5', false],
  ])('%j reads from the start to the end: %s', (header, expected) => {
    expect(readsFromStart(header)).toBe(expected)
  })
})
