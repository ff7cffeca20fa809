import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A pid alone may belong to somebody else by now; together with its start time it names one process for ever. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot, with the boot's id, so that a record from before a reboot matches nothing. */
  readonly startTime: string
}

export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid)
  return stat === undefined ? undefined : { pid, startTime: `${bootId()}:${stat.startTicks}` }
}

/** A zombie has ended: only its parent has not looked yet. */
export function isAlive(identity: ProcessIdentity): boolean {
  const stat = readStat(identity.pid)
  return stat !== undefined && stat.state !== 'Z' && `${bootId()}:${stat.startTicks}` === identity.startTime
}

/** Children, grandchildren and so on, as they are now. */
export function descendantsOf(pid: number): ProcessIdentity[] {
  const childrenByParent = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const child = Number(entry)
    if (!Number.isInteger(child)) continue
    const parent = readStat(child)?.parentPid
    if (parent !== undefined) childrenByParent.set(parent, [...(childrenByParent.get(parent) ?? []), child])
  }
  const found: ProcessIdentity[] = []
  const queue = [pid]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const child of childrenByParent.get(next) ?? []) {
      queue.push(child)
      const identity = identify(child)
      if (identity !== undefined) found.push(identity)
    }
  }
  return found
}

export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, signal)
  } catch {
    // It ended between the look and the signal.
  }
}

/** True when every process was gone within the time. */
export async function waitUntilGone(identities: readonly ProcessIdentity[], timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (identities.some(isAlive)) {
    if (Date.now() >= deadline) return false
    await sleep(20)
  }
  return true
}

/** Ends a process with everything below it: asks first, then kills what is left. Returns when nothing of it runs. */
export async function endProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<'ended' | 'killed'> {
  const family = [identity, ...descendantsOf(identity.pid)]
  signalProcess(identity, signal)
  if (await waitUntilGone(family, graceMs)) return 'ended'
  for (const member of [...family, ...descendantsOf(identity.pid)]) signalProcess(member, 'SIGKILL')
  await waitUntilGone(family, 2_000)
  return 'killed'
}

interface Stat {
  readonly state: string
  readonly parentPid: number
  readonly startTicks: string
}

function readStat(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parentPid] = fields
  const startTicks = fields[19]
  return state === undefined || startTicks === undefined ? undefined : { state, parentPid: Number(parentPid), startTicks }
}

let knownBootId: string | undefined
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return knownBootId
}
