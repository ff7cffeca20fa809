import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Report } from './report.ts'

const RESULTS = resolve(import.meta.dirname, '..', '..', 'results')
const ROOT = resolve(import.meta.dirname, '..', '..', '..', '..')

/** Returns where it was written, from the checkout's root. */
export function writeResults(report: Report): string {
  mkdirSync(RESULTS, { recursive: true })
  const file = join(RESULTS, `${report.startedAt.replaceAll(':', '-').replace(/\.\d+/, '')}.json`)
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  return relative(ROOT, file)
}
