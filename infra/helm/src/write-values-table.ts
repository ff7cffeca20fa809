// pnpm --dir infra/helm run values-table: writes the table of values into the chart's README, between its two marks.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { valuesTable } from './values-table.ts'

const chart = join(import.meta.dirname, '../turnpike')
const readme = join(chart, 'README.md')
const text = readFileSync(readme, 'utf8')
const [before, after] = [text.split('<!-- values -->')[0], text.split('<!-- /values -->')[1]]
if (before === undefined || after === undefined) throw new Error('README.md has lost its marks')
const table = valuesTable(readFileSync(join(chart, 'values.yaml'), 'utf8'))
writeFileSync(readme, `${before}<!-- values -->\n\n${table}\n\n<!-- /values -->${after}`)
