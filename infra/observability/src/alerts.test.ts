import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { obtainPromtool } from '@turnpike/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ALERT_CASES } from './alert-cases.ts'
import { unknownIn } from './expression.ts'
import { PLACES } from './places.ts'
import { promtoolTests } from './promtool-tests.ts'
import { readAlerts } from './read-alerts.ts'

const alerts = readAlerts()
const names = alerts.map(({ alert }) => alert)
/** Where environment variables are named. */
const VARIABLE_SOURCES = ['services', 'packages'].flatMap((part) =>
  globSync(join(PLACES.root, part, '*/src/{config,open-tracing}.ts')),
)
const folder = mkdtempSync(join(tmpdir(), 'turnpike-alerts-'))
let promtool = ''

beforeAll(async () => {
  promtool = await obtainPromtool({ say: () => {}, signal: new AbortController().signal })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' })
  return { status, said: `${stdout}${stderr}` }
}

describe('the alert rules', () => {
  it('are rules to promtool', () => {
    const { status, said } = run('check', 'rules', PLACES.alerts)
    expect(status, said).toBe(0)
    expect(said).toContain(`${alerts.length} rules found`)
  })

  it('each fire when they should and stay quiet when they nearly should', () => {
    const files = alerts.map((rule) => {
      const rules = join(folder, `${rule.alert}.yaml`)
      writeFileSync(rules, stringify({ groups: [{ name: 'one', rules: [rule] }] }))
      const tests = join(folder, `${rule.alert}.test.yaml`)
      writeFileSync(tests, stringify(promtoolTests(rule, rules)))
      return tests
    })
    const { status, said } = run('test', 'rules', ...files)
    expect(status, said).toBe(0)
    expect(said.match(/SUCCESS/g)).toHaveLength(alerts.length)
  })

  it('are each tried, under series that a service shows', () => {
    expect(Object.keys(ALERT_CASES).sort()).toEqual([...names].sort())
    const wrong = Object.entries(ALERT_CASES).flatMap(([alert, { fires, quiet }]) =>
      [...fires, ...quiet].flatMap(([series]) => unknownIn(series).map((why) => `${alert}: ${why}`)),
    )
    expect(wrong).toEqual([])
  })

  it.each(alerts)('$alert asks for metrics, labels and values that exist', ({ expr }) => {
    expect(unknownIn(expr)).toEqual([])
  })

  it.each([
    ['turnpike_nothing_total > 0', 'there is no turnpike_nothing_total'],
    ['sum by (colour) (up) > 0', 'nothing here has the label colour'],
    ['up{colour="red"} == 0', 'up has no label colour'],
    ['max(turnpike_dependency_up{dependency="mysql"}) == 0', 'turnpike_dependency_up never has dependency="mysql"'],
    ['turnpike_payment_funnel_total{step=~"paid|admitted"} > 0', 'turnpike_payment_funnel_total never has step like paid'],
  ])('would be caught asking for what does not: %s', (expr, why) => {
    expect(unknownIn(expr)).toEqual([why])
  })

  it.each(alerts)('$alert says how bad it is, in a sentence, and names its page', ({ alert, labels, annotations }) => {
    expect(['page', 'ticket']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/^[A-Z].*\.$/)
    expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`)
  })
})

describe('the runbooks', () => {
  const SECTIONS = ['## Meaning', '## Impact', '## Look at', '## Do', '## Over when']

  it('are one page for every alert, and no other', () => {
    const pages = readdirSync(PLACES.runbooks)
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => name.replace('.md', ''))
    expect(pages.sort()).toEqual([...names].sort())
    expect(new Set(names).size).toBe(names.length)
  })

  it.each(alerts)(
    'of $alert say what it means, what it does, what to look at, what to do and when it is over',
    ({ alert, labels }) => {
      const page = readFileSync(join(PLACES.runbooks, `${alert}.md`), 'utf8')
      expect(page.startsWith(`# ${alert}\n`)).toBe(true)
      expect(page).toContain(`Severity: **${labels.severity}**`)
      expect(SECTIONS.map((section) => page.indexOf(section)).every((at) => at > 0)).toBe(true)
      for (const section of page.split('## ').slice(1))
        expect(section.split('\n').slice(1).join('').trim().length).toBeGreaterThan(20)
    },
  )

  it('name only metrics, files and pages that exist', () => {
    const wrong = names.flatMap((name) => {
      const page = readFileSync(join(PLACES.runbooks, `${name}.md`), 'utf8')
      const asked = [...page.matchAll(/`([^`]*turnpike_[a-z_]+[^`]*|nodejs_[a-z0-9_]+)`/g)].flatMap(([, expr = '']) =>
        unknownIn(expr),
      )
      const links = [...page.matchAll(/\]\(([^)#]+)[^)]*\)/g)].filter(([, to = '']) => !existsSync(join(PLACES.runbooks, to)))
      return [...asked, ...links.map(([, to]) => `no ${to}`)].map((why) => `${name}: ${why}`)
    })
    expect(wrong).toEqual([])
  })

  it('name only environment variables that a service reads', () => {
    const text = VARIABLE_SOURCES.map((file) => readFileSync(file, 'utf8')).join('\n')
    const wrong = names.flatMap((name) => {
      const page = readFileSync(join(PLACES.runbooks, `${name}.md`), 'utf8')
      const named = [...page.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g)].map(([, variable = '']) => variable)
      return named.filter((variable) => !text.includes(variable)).map((variable) => `${name}: ${variable}`)
    })
    expect(wrong).toEqual([])
  })

  it('are listed on their first page', () => {
    const list = readFileSync(join(PLACES.runbooks, 'README.md'), 'utf8')
    for (const { alert, labels, annotations } of alerts) {
      expect(list).toContain(`| [${alert}](${alert}.md)`)
      expect(
        list.split('\n').find((line) => line.includes(`[${alert}]`)),
        alert,
      ).toMatch(new RegExp(`${labels.severity}.*${annotations.summary.slice(0, 20)}`))
    }
  })
})
