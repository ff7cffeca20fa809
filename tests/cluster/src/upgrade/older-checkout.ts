import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { startStack } from '@turnpike/local'
import { CHECKOUT } from '../cluster.ts'
import { mustRun } from '../kube/run-command.ts'

const PREPARE_MS = 300_000

/** A release as its commit has it, with what it needs installed as `npm start` would. Returns what starts a stack of it. */
export async function prepareCheckout(folder: string, commit: string): Promise<typeof startStack> {
  await mustRun('git', ['clone', '--quiet', '--shared', '--no-checkout', CHECKOUT, folder])
  await mustRun('git', ['-C', folder, 'checkout', '--quiet', '--detach', commit])
  // Whatever it is asked to do, its wrapper installs first; there is nothing to reset in a home that does not exist.
  const script = `cd '${folder}' && TURNPIKE_HOME='${join(folder, '.no-home')}' exec node infra/toolchain/run.mjs infra/local/src/reset.ts`
  await mustRun('sh', ['-c', script], { timeoutMs: PREPARE_MS })
  const local = (await import(pathToFileURL(join(folder, 'infra/local/src/index.ts')).href)) as { startStack: typeof startStack }
  return local.startStack
}
