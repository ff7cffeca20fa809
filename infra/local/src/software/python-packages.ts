import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { outputOf, runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, toolLog } from './cache.ts'
import { canInstallDebianPackages, installDebianPackages } from './packages.ts'

/** The path of a Python that has the packages of a requirements file, in an environment of its own that is made once. */
export async function obtainPython(deps: ToolDeps, requirementsFile: string): Promise<string> {
  const version = await usablePython(deps)
  const digest = createHash('sha256')
    .update(`${version}\n${readFileSync(requirementsFile, 'utf8')}`)
    .digest('hex')
  const folder = await cached(deps, `python-${digest.slice(0, 16)}`, async (draft) => {
    const run = (doing: string, program: string, args: readonly string[]) =>
      runTool(deps, { doing, program, args, logFile: toolLog('pip') })
    // Links and no scripts with paths in them, so that the finished folder may move to its place.
    await run('making a Python environment', 'python3', ['-m', 'venv', '--symlinks', draft])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirementsFile]
    await run('installing Python packages from PyPI', join(draft, 'bin', 'python3'), pip)
  })
  return join(folder, 'bin', 'python3')
}

async function usablePython(deps: ToolDeps): Promise<string> {
  if (!canMakeEnvironments() && canInstallDebianPackages()) await installDebianPackages(deps, ['python3', 'python3-venv'])
  const version = findProgram('python3') === undefined ? undefined : outputOf('python3', ['-VV'])
  if (version === undefined || !canMakeEnvironments()) {
    throw new StackFailure(
      'Python 3.10 or newer with venv is missing, and the tests of the official Python clients run in it: install it (on Debian: apt-get install python3-venv).',
    )
  }
  return version
}

function canMakeEnvironments(): boolean {
  if (findProgram('python3') === undefined) return false
  return outputOf('python3', ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']) !== undefined
}
