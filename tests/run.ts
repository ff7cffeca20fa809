// npm test: linter, type check, then every test against real parts on ports and a home of its own.
//   npm test                       everything
//   npm test -- <path or name>...  only test files whose path holds one of them, without linter and type check
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Count = { passed: number; failed: number }

const filters = process.argv.slice(2)
const root = join(import.meta.dirname, '..')
const reports = mkdtempSync(join(tmpdir(), 'turnpike-test-'))
const counts: Count[] = []

try {
  if (filters.length === 0) {
    counts.push(step('linter', ['biome', 'ci', '.', '--reporter=summary']))
    counts.push(
      step('type check', ['turbo', 'run', 'typecheck', '--output-logs=errors-only', '--log-order=grouped', '--summarize=false']),
    )
  }
  counts.push(vitest('parts'))
  counts.push(vitest('stack'))
} finally {
  rmSync(reports, { recursive: true, force: true })
}

const passed = counts.reduce((sum, count) => sum + count.passed, 0)
const failed = counts.reduce((sum, count) => sum + count.failed, 0)
if (passed + failed === 0) console.log(`No test matches ${filters.join(' ')}.`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

function step(name: string, command: string[]): Count {
  const startedAt = Date.now()
  console.log(`\n── ${name}`)
  const { status } = spawnSync('pnpm', ['exec', ...command], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  console.log(`── ${name} ${status === 0 ? 'passed' : 'FAILED'} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** A file that does not load, or a run that ends early, counts as a failure of its own. */
function vitest(project: string): Count {
  const report = join(reports, `${project}.json`)
  console.log(`\n── tests: ${project}`)
  const { status } = spawnSync(
    'pnpm',
    [
      'exec',
      'vitest',
      'run',
      '--project',
      project,
      '--passWithNoTests',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...filters,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = readReport(report)
  const unloaded = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length
  const failed = numFailedTests + unloaded
  return { passed: numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed }
}

type Report = {
  numPassedTests?: number
  numFailedTests?: number
  testResults?: { status: string; assertionResults: unknown[] }[]
}

function readReport(file: string): Report {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return {}
  }
}
