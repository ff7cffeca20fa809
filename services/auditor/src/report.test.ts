import { describe, expect, it } from 'vitest'
import { MAX_LISTED, openBook } from './audit-book.ts'
import { parseOptions } from './options.ts'
import { reportAsJson, reportAsText } from './report.ts'

const missing = {
  code: 'result_missing',
  detail: 'gone',
  transaction: '0x12',
  blockNumber: 7n,
  jobId: 'aa',
  receiptId: 'r',
} as const

describe('the report', () => {
  it('shows each difference with its invariant and ids, and ends with the counts', () => {
    const book = openBook({ from: 3n, to: 9n })
    Object.assign(book.report, { transfers: 4, receipts: 4, results: 3 })
    book.differ(missing)
    book.oweRefund({ amountAtomic: 2000n, payer: '0xpayer', paymentId: 'p', isListed: true })
    book.noteForeign({ amountAtomic: 5n, payer: '0xstranger', isAuthorized: false })
    const text = reportAsText(book.report)
    expect(text).toContain('1  result_missing (I1): a paid result that is gone before its seven days')
    expect(text).toMatch(/transaction +0x12 in block 7\n +job +aa\n +receipt +r\n/)
    expect(text).toContain('0.002 USDC to 0xpayer')
    expect(text).toContain('0.000005 USDC from 0xstranger')
    expect(text.trimEnd().split('\n').at(-1)).toBe('4 transfers, 4 receipts, 3 results checked, 1 differences')
    expect(JSON.parse(reportAsJson(book.report))).toMatchObject({ range: { from: '3', to: '9' }, differenceCount: 1 })
  })

  it('counts without end and lists up to a limit', () => {
    const book = openBook({ from: 0n, to: 1n })
    for (let at = 0; at < MAX_LISTED + 5; at++) book.noteForeign({ amountAtomic: 0n, isAuthorized: false })
    for (let at = 0; at < MAX_LISTED + 2; at++) book.differ(missing)
    const { report } = book
    expect([report.foreignCount, report.foreign.length]).toEqual([MAX_LISTED + 5, MAX_LISTED])
    expect(reportAsText(report)).toContain('and 2 more differences')
    expect(reportAsText(report)).toMatch(new RegExp(`, ${MAX_LISTED + 2} differences\n$`))
  })
})

describe('parseOptions', () => {
  it('takes a range, a number of newest blocks, or a schedule', () => {
    expect(parseOptions([])).toEqual({ from: undefined, to: undefined, last: undefined, isJson: false, everyMs: undefined })
    expect(parseOptions(['--from', '0', '--to', '5', '--json'])).toMatchObject({ from: 0n, to: 5n, isJson: true })
    expect(parseOptions(['--last', '100'])).toMatchObject({ last: 100n })
    expect(parseOptions(['--every', '300', '--last', '100'])).toMatchObject({ everyMs: 300_000, last: 100n })
  })

  it.each([
    ['--from', '-1'],
    ['--from', 'x'],
    ['--from', '6', '--to', '5'],
    ['--from', '1', '--last', '5'],
    ['--every', '0'],
    ['--every', '60', '--from', '1'],
    ['--every', '60', '--json'],
    ['--last', '0'],
    ['--what'],
    ['5'],
  ])('refuses %s %s %s %s', (...args) => {
    expect(parseOptions(args)).toBeUndefined()
  })
})
