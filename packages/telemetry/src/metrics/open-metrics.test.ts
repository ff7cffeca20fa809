import { ERRORS } from '@turnpike/contracts'
import { describe, expect, it } from 'vitest'
import { counter, createMetrics, gauge, histogram, METRICS_OF_SERVICES, OTHER } from './index.ts'

const TABLE = {
  plain: counter('test_plain_total', 'Without labels.'),
  colours: counter('test_colours_total', 'By colour.', { colour: ['red', 'green'] }),
  followed: counter('test_followed_total', 'Kept elsewhere.'),
  level: gauge('test_level', 'A level.', { colour: ['red'] }),
  failing: gauge('test_failing', 'Its source is away.'),
  time: histogram('test_seconds', 'A time.', { colour: ['red'] }, [0.1, 1]),
}

function opened() {
  const metrics = createMetrics('test')
  const lines = async () => (await metrics.registry.metrics()).split('\n').filter((line) => /^(# (HELP|TYPE) )?test_/.test(line))
  return { table: metrics.open(TABLE), lines }
}

describe('the instruments of a table', () => {
  it('are in the text format with their help, type and the service that shows them', async () => {
    const { table, lines } = opened()
    table.colours.count({ colour: 'red' })
    table.colours.count({ colour: 'red' }, 2)
    table.level.set({ colour: 'red' }, 7)
    for (const seconds of [0.05, 0.1, 0.5, 3]) table.time.observe({ colour: 'red' }, seconds)
    expect(await lines()).toEqual([
      '# HELP test_plain_total Without labels.',
      '# TYPE test_plain_total counter',
      'test_plain_total{service="test"} 0',
      '# HELP test_colours_total By colour.',
      '# TYPE test_colours_total counter',
      'test_colours_total{colour="red",service="test"} 3',
      'test_colours_total{colour="green",service="test"} 0',
      '# HELP test_followed_total Kept elsewhere.',
      '# TYPE test_followed_total counter',
      'test_followed_total{service="test"} 0',
      '# HELP test_level A level.',
      '# TYPE test_level gauge',
      'test_level{colour="red",service="test"} 7',
      '# HELP test_failing Its source is away.',
      '# TYPE test_failing gauge',
      '# HELP test_seconds A time.',
      '# TYPE test_seconds histogram',
      'test_seconds_bucket{colour="red",le="0.1",service="test"} 2',
      'test_seconds_bucket{colour="red",le="1",service="test"} 3',
      'test_seconds_bucket{colour="red",le="+Inf",service="test"} 4',
      'test_seconds_sum{colour="red",service="test"} 3.65',
      'test_seconds_count{colour="red",service="test"} 4',
    ])
  })

  it('count what is in no closed set as other, however many different values come', async () => {
    const { table, lines } = opened()
    for (let n = 0; n < 1_000; n += 1) {
      table.colours.count({ colour: `0x${n}` })
      table.level.set({ colour: `sk-${n}` }, n)
      table.time.observe({ colour: `/v1/media/${n}` }, 1)
    }
    table.colours.count({ colour: 'constructor' })
    expect(await lines()).toContain(`test_colours_total{colour="${OTHER}",service="test"} 1001`)
    const others = (await lines()).filter((line) => line.includes('colour=') && !line.includes(`"${OTHER}"`))
    expect(others.filter((line) => !/colour="(red|green)",service="test"} 0$/.test(line))).toEqual([])
  })

  it('show totals that are kept elsewhere as they are then', async () => {
    const { table, lines } = opened()
    let total = 3
    table.followed.follow({}, () => total)
    expect(await lines()).toContain('test_followed_total{service="test"} 3')
    total = 5
    expect(await lines()).toContain('test_followed_total{service="test"} 5')
  })

  it('show no old value of a gauge whose source is away', async () => {
    const { table, lines } = opened()
    let isAway = false
    table.failing.readBy(async (gauge) => {
      if (isAway) throw new Error('away')
      gauge.set({}, 1)
    })
    expect(await lines()).toContain('test_failing{service="test"} 1')
    isAway = true
    expect((await lines()).filter((line) => line.startsWith('test_failing'))).toEqual([])
  })
})

const tables = Object.entries(METRICS_OF_SERVICES).flatMap(([service, all]) =>
  all.flatMap((table) => Object.values(table).map((definition) => ({ service, ...definition }))),
)

describe('the tables of the services', () => {
  it.each(Object.entries(METRICS_OF_SERVICES))('open side by side in one process: %s', async (service, all) => {
    const metrics = createMetrics(service)
    for (const table of all) metrics.open(table)
    expect(await metrics.registry.metrics()).toContain('turnpike_')
  })

  it.each(tables)('name $name as its kind is named, with a help text', ({ kind, name, help }) => {
    expect(name).toMatch(/^turnpike_[a-z0-9_]+$/)
    expect(name.endsWith('_total')).toBe(kind === 'counter')
    expect(help).toMatch(/\w\W*$/)
    expect(help.endsWith('.') || help.endsWith(').')).toBe(true)
  })

  it('have short lists of label values, and none that a stranger can lengthen', () => {
    for (const { name, labels } of tables) {
      for (const [label, values] of Object.entries<readonly string[]>(labels)) {
        expect(values.length, `${name} ${label}`).toBeLessThan(100)
        expect(new Set(values).size, `${name} ${label}`).toBe(values.length)
      }
    }
  })

  it('list every code of the contract', () => {
    const refusals = tables.find(({ name }) => name === 'turnpike_refusals_total')
    expect(refusals?.labels.code).toEqual(Object.keys(ERRORS))
  })
})
