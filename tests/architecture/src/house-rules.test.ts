import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const files = sourceFiles('services', 'packages', 'infra', 'tests')
const THIS = 'tests/architecture/src/house-rules.test.ts'
const isTest = ({ path }: { path: string }) =>
  path.endsWith('.test.ts') || path.includes('/testing/') || path.startsWith('tests/')
const MAX_LINES = 300
const MAX_TEST_LINES = 320

/** Pauses that wait for nothing to happen: one poll for all tests, and traffic that keeps its pace. */
const MAY_PAUSE = [
  /^packages\/testing\/src\/until\.ts$/,
  /^tests\/bench\//,
  /^tests\/crowd\/src\/(client-styles|crowd|finish)\.ts$/,
  /^tests\/faults\/src\/(begin-fault|fault-proxy)\.ts$/,
]
const CALLED_BACK = '(?:r|res|resolve|resolved|done|next|ok|wake)\\b'
const SLEEPS = [
  /timers\/promises['"]/,
  new RegExp(`setTimeout\\(\\s*${CALLED_BACK}`),
  new RegExp(`setTimeout\\(\\s*\\(\\)\\s*=>\\s*${CALLED_BACK}`),
  /promisify\(\s*setTimeout/,
  /Atomics\.wait\(/,
]

describe('source files', () => {
  it('stay short enough to hold in the head', () => {
    const tooLong = files.filter((file) => file.lines > (isTest(file) ? MAX_TEST_LINES : MAX_LINES))
    expect(tooLong.map((file) => `${file.path}: ${file.lines} lines`)).toEqual([])
  })

  it('have names that say what is inside', () => {
    const vague = /(^|\/)(utils?|helpers?|common|types|misc|lib)\.ts$/
    expect(files.filter((file) => vague.test(file.path)).map((file) => file.path)).toEqual([])
  })

  it('do not sleep in tests, nor in what supports them', () => {
    const tested = files.filter((file) => isTest(file) || file.path.startsWith('packages/testing/'))
    const sleeping = tested.filter(({ path, text }) => SLEEPS.some((sleep) => sleep.test(text)) && path !== THIS)
    expect(sleeping.map(({ path }) => path).filter((path) => !MAY_PAUSE.some((exempt) => exempt.test(path)))).toEqual([])
  })

  it.each([
    'await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))',
    'await new Promise((next) => setTimeout(next, 5))',
    'new Promise((resolve) => setTimeout(() => resolve(false), 20))',
    "import { setTimeout as pause } from 'node:timers/promises'",
    'const sleep = promisify(setTimeout)',
  ])('would be caught sleeping: %s', (line) => {
    expect(SLEEPS.some((sleep) => sleep.test(line))).toBe(true)
  })

  it('wait in tests for as long as all do: no second of its own for a condition, which a slow machine needs', () => {
    // In what runs before a test expect.poll may not be used.
    const before = /^packages\/admission\/src\/(redis-cluster|release-signal)\.test\.ts$/
    const waiting = files.filter(({ path, text }) => /\bvi\.wait(For|Until)\(/.test(text) && path !== THIS)
    expect(waiting.map(({ path }) => path).filter((path) => !before.test(path))).toEqual([])
  })

  it('turn no check off', () => {
    const marks = new RegExp(
      ['@ts-' + 'ignore', '@ts-' + 'nocheck', 'biome-' + 'ignore', 'eslint-' + 'disable', '\\.(only|skip|todo)\\('].join('|'),
    )
    expect(files.filter((file) => marks.test(file.text)).map((file) => file.path)).toEqual([])
  })

  it('touch no price with a floating point', () => {
    const priced = files.filter((file) => /packages\/catalog\/src\/(quote|rational)\.ts$/.test(file.path))
    expect(priced).toHaveLength(2)
    for (const file of priced) expect(file.text, file.path).not.toMatch(/parseFloat|toFixed|Math\.(ceil|round|floor)/)
  })
})
