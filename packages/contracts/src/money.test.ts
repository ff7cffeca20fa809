import { describe, expect, it } from 'vitest'
import { formatUsdc, parseUsdc } from './money.ts'

describe('decimal USDC', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000001'],
    [2_000n, '0.002'],
    [5_034n, '0.005034'],
    [35_000n, '0.035'],
    [441_000n, '0.441'],
    [1_000_000n, '1'],
    [1_500_000n, '1.5'],
    [10_000_000n, '10'],
    [-2_000n, '-0.002'],
    [123_456_789_012_345_678_901_234n, '123456789012345678.901234'],
  ])('of %s is %s', (amountAtomic, text) => {
    expect(formatUsdc(amountAtomic)).toBe(text)
    if (amountAtomic >= 0n) expect(parseUsdc(text)).toBe(amountAtomic)
  })

  it('is read exactly, trailing zeros or not', () => {
    expect(parseUsdc('0.10')).toBe(100_000n)
    expect(parseUsdc('0.1')).toBe(100_000n)
    expect(parseUsdc('9007199254740993.000001')).toBe(9_007_199_254_740_993_000_001n)
  })

  it.each([
    '',
    '.',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e3',
    '0.0000001',
    '1,5',
    ' 1',
    '1 ',
    '1\n',
    '0x1',
    'NaN',
    'Infinity',
    '١',
    '1'.repeat(31),
  ])('is not %j', (text) => {
    expect(parseUsdc(text)).toBeUndefined()
  })
})
