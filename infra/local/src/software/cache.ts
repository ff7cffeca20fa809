import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tryLock } from '../process/lock-file.ts'
import type { ToolDeps } from '../process/run-tool.ts'

/** What was fetched or built stays here, for every checkout on the machine. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(base, 'turnpike')
  mkdirSync(folder, { recursive: true })
  return folder
}

export function toolLog(name: string): string {
  return join(cacheFolder(), 'logs', `${name}.log`)
}

/** Makes a folder of the cache once. A build that fails or is ended leaves nothing behind that looks finished. */
export async function cached(deps: ToolDeps, name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name)
  if (existsSync(folder)) return folder
  return await exclusively(deps, name, async () => {
    if (existsSync(folder)) return folder
    const draft = `${folder}.draft`
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft)
    await build(draft)
    renameSync(draft, folder)
    return folder
  })
}

/** One process of this machine at a time. */
export async function exclusively<Result>(deps: ToolDeps, name: string, work: () => Promise<Result>): Promise<Result> {
  const file = join(cacheFolder(), `${name}.lock`)
  for (let said = false; ; ) {
    const lock = tryLock(file, {})
    if (lock.held) {
      try {
        return await work()
      } finally {
        lock.release()
      }
    }
    if (!said) deps.say(`waiting for process ${lock.owner.pid}, which prepares ${name}`)
    said = true
    await sleep(200, undefined, { signal: deps.signal })
  }
}
