import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import type { ToolDeps } from '../process/run-tool.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

/** The path of ffmpeg: tests measure audio against it. No service needs it. */
export async function obtainFfmpeg(deps: ToolDeps): Promise<string> {
  const there = findProgram('ffmpeg')
  if (there !== undefined) return there
  if (canInstallDebianPackages()) {
    await installDebianPackages(deps, ['ffmpeg'])
    const installed = findProgram('ffmpeg')
    if (installed !== undefined) return installed
  }
  throw new StackFailure(
    'ffmpeg is missing, and the tests of MP3 measure against it: install it (on Debian: apt-get install ffmpeg).',
  )
}
