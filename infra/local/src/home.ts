import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'

export const checkoutRoot = resolve(import.meta.dirname, '..', '..', '..')

/** Where everything of one stack is. */
export interface Home {
  readonly folder: string
  readonly stackFile: string
  /** Names the supervisor that runs here. */
  readonly supervisorFile: string
  /** Every process that the supervisor started, for the next start to find what this one could not end. */
  readonly processesFile: string
  readonly portsFile: string
  readonly identityFile: string
  readonly controlSocket: string
  readonly dataOf: (name: string) => string
  readonly logOf: (name: string, replica: number) => string
  /** The same, relative to the home. */
  readonly logName: (name: string, replica: number) => string
}

export function homeAt(folder: string): Home {
  const logName = (name: string, replica: number) => join('logs', `${name}-${replica}.log`)
  return {
    folder,
    stackFile: join(folder, 'stack.json'),
    supervisorFile: join(folder, 'supervisor.json'),
    processesFile: join(folder, 'processes.json'),
    portsFile: join(folder, 'ports.json'),
    identityFile: join(folder, 'identity.json'),
    controlSocket: socketPath(folder),
    dataOf: (name) => join(folder, 'data', name),
    logOf: (name, replica) => join(folder, logName(name, replica)),
    logName,
  }
}

export function homeFolder(env: NodeJS.ProcessEnv): string {
  return resolve(checkoutRoot, env.TURNPIKE_HOME || '.local')
}

export function makeHome(home: Home): void {
  mkdirSync(home.folder, { recursive: true, mode: 0o700 })
  mkdirSync(join(home.folder, 'logs'), { recursive: true })
}

/** A Unix socket's path has at most 107 bytes; a deep home gets a short one elsewhere, in a folder that only its owner may enter. */
function socketPath(folder: string): string {
  const direct = join(folder, 'control.sock')
  if (Buffer.byteLength(direct) <= 100) return direct
  const short = join(tmpdir(), `turnpike-${userInfo().uid}`)
  return join(short, `${createHash('sha256').update(folder).digest('hex').slice(0, 16)}.sock`)
}
