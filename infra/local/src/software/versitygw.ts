import { join } from 'node:path'
import { runTool, type ToolDeps } from '../process/run-tool.ts'
import { cached, toolLog } from './cache.ts'
import { goEnvironment, obtainGo } from './go.ts'

const version = 'v1.8.0'

/** The path of versitygw, an S3 server over a plain folder. */
export async function obtainVersitygw(deps: ToolDeps): Promise<string> {
  const folder = await cached(deps, `versitygw-${version}`, async (draft) => {
    const go = await obtainGo(
      deps,
      'The S3 server is built with Go, once: install Go 1.21 or newer, or set S3_ENDPOINT (with S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET) to use an S3 of your own.',
    )
    await runTool(deps, {
      doing: `building versitygw ${version} with Go`,
      program: go,
      args: ['install', '-ldflags=-s -w', `github.com/versity/versitygw/cmd/versitygw@${version}`],
      cwd: draft,
      env: goEnvironment(draft),
      logFile: toolLog('go'),
    })
  })
  return join(folder, 'versitygw')
}
