import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import type { ToolDeps } from '../process/run-tool.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

/** The path of promtool: tests check the alert rules with it. No service needs it. */
export async function obtainPromtool(deps: ToolDeps): Promise<string> {
  const there = findProgram('promtool')
  if (there !== undefined) return there
  if (canInstallDebianPackages()) {
    await installDebianPackages(deps, ['prometheus'])
    const installed = findProgram('promtool')
    if (installed !== undefined) return installed
  }
  throw new StackFailure(
    'promtool is missing, and the tests of the alerts run it: install it (on Debian: apt-get install prometheus; its server need not run).',
  )
}
