import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openCallLog } from './call-log.ts'

const root = mkdtempSync(join(tmpdir(), 'sandbox-call-log-'))
afterAll(() => rmSync(root, { recursive: true }))

const received = { upstream: 'gemini', path: '/p', model: 'm', text: 't', bodySha256: 'h' } as const

describe('the call log', () => {
  it('numbers calls without a gap across an orderly restart, and never starts again when they are forgotten', () => {
    const stateDir = join(root, 'orderly')
    const first = openCallLog(stateDir)
    expect([first.record(received).n, first.record(received).n]).toEqual([1, 2])
    first.forget()
    expect(first.since(0)).toEqual([])
    expect(first.record(received).n).toBe(3)
    first.close()
    const second = openCallLog(stateDir)
    expect(second.record(received).n).toBe(4)
    second.close()
  })

  it('may skip numbers after a kill, and repeats none', () => {
    const stateDir = join(root, 'killed')
    const first = openCallLog(stateDir)
    const last = Array.from({ length: 2_500 }, () => first.record(received).n).at(-1) ?? 0
    // Not closed: what a killed process leaves behind.
    expect(openCallLog(stateDir).record(received).n).toBeGreaterThan(last)
  })

  it('refuses to start on a counter that it cannot read', () => {
    const stateDir = join(root, 'broken')
    openCallLog(stateDir).close()
    writeFileSync(join(stateDir, 'call-counter'), '')
    expect(() => openCallLog(stateDir)).toThrow('the call counter')
  })

  it('lists what came after a number, in order', () => {
    const log = openCallLog(undefined)
    for (let index = 0; index < 5; index += 1) log.record(received)
    expect(log.since(3).map(({ n }) => n)).toEqual([4, 5])
    expect(log.since(5)).toEqual([])
    expect(log.since(0)).toHaveLength(5)
  })

  it('keeps the newest calls only, and 2,000 characters of their text without halving one', () => {
    const log = openCallLog(undefined)
    for (let index = 0; index < 52_000; index += 1) log.record(received)
    expect(log.since(0).length).toBeLessThanOrEqual(51_000)
    expect(log.since(0).at(-1)?.n).toBe(52_000)
    expect(log.record({ ...received, text: `${'x'.repeat(1_999)}😀` }).text).toBe('x'.repeat(1_999))
  })
})
