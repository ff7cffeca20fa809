import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { valuesTable } from '../src/values-table.ts'
import { CHART } from './render-chart.ts'

/** Rows as lists of cells: how wide a column is written is the formatter's. */
const cells = (table: string) =>
  table
    .trim()
    .split('\n')
    .filter((line) => !/^\|[\s|:-]+\|$/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

it('the README lists every value, as values.yaml has it', () => {
  const readme = readFileSync(join(CHART, 'README.md'), 'utf8')
  const [, rest = ''] = readme.split('<!-- values -->')
  const [table = ''] = rest.split('<!-- /values -->')
  expect(cells(table)).toEqual(cells(valuesTable(readFileSync(join(CHART, 'values.yaml'), 'utf8'))))
})

it('a comment belongs to the value below it, and a group is gone into', () => {
  const text =
    '# Of the group.\ngroup:\n  # Of one\n  # value.\n  one: 1\n  two: ""\nflow: {a: 1}\n\n# Apart.\n\n# Of the last.\nlast: [x]\n'
  expect(cells(valuesTable(text)).slice(1)).toEqual([
    ['', '`group`', '', 'Of the group.', ''],
    ['', '`group.one`', '`1`', 'Of one value.', ''],
    ['', '`group.two`', '', '', ''],
    ['', '`flow`', '`{ a: 1 }`', '', ''],
    ['', '`last`', '`[ x ]`', 'Of the last.', ''],
  ])
})
