import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import type { ToolDeps } from '../process/run-tool.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of Chromium: tests read the pages in it. No service needs it. */
export async function obtainChromium(deps: ToolDeps): Promise<string> {
  const there = NAMES.map((name) => findProgram(name)).find((path) => path !== undefined)
  if (there !== undefined) return there
  if (canInstallDebianPackages()) {
    await installDebianPackages(deps, ['chromium', 'fonts-dejavu-core'])
    const installed = findProgram('chromium')
    if (installed !== undefined) return installed
  }
  throw new StackFailure(
    'chromium is missing, and the tests of the pages read them in it: install it (on Debian: apt-get install chromium).',
  )
}
