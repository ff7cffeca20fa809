import { existsSync, rmSync } from 'node:fs'
import { homeAt, homeFolder } from './home.ts'
import { ownerOf } from './process/lock-file.ts'
import { endLeftovers } from './supervisor/process-record.ts'

const home = homeAt(homeFolder(process.env))
const owner = ownerOf(home.supervisorFile)
if (owner !== undefined) {
  process.stderr.write(`A stack runs on ${home.folder} (process ${owner.pid}); stop it first.\n`)
  process.exit(1)
}
if (existsSync(home.folder)) {
  await endLeftovers(home)
  // Only what the stack itself put there: a home may be a folder that somebody uses for more.
  const own = [home.stackFile, home.supervisorFile, home.processesFile, home.portsFile, home.identityFile, home.controlSocket]
  for (const path of [...own, `${home.folder}/data`, `${home.folder}/logs`]) rmSync(path, { recursive: true, force: true })
}
process.stdout.write(`${home.folder} holds nothing any more.\n`)
