import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenPart, Stack, StackProcess } from '@turnpike/local'
import { until } from '@turnpike/testing'
import { inject } from 'vitest'

/** The shared stack as its file describes it at this moment. */
export function stackNow(): Stack {
  return JSON.parse(readFileSync(join(inject('stackHome'), 'stack.json'), 'utf8')) as Stack
}

export function processesOf(name: string): StackProcess[] {
  return stackNow().processes.filter((process) => process.name === name)
}

/** A part runs once, as a process of the stack or in a container beside it. */
export function pidOfPart(name: GivenPart): number {
  const pid = inject('partPids')[name] ?? processesOf(name)[0]?.pid
  if (pid === undefined) throw new Error(`nothing runs ${name}`)
  return pid
}

/** kill -9 to every replica of a service; resolves when all of them are back and every gateway takes requests. */
export async function killAndAwaitReturn(name: string): Promise<void> {
  const before = processesOf(name)
  for (const { pid } of before) process.kill(pid, 'SIGKILL')
  await awaitReturn(name, before)
}

export async function awaitReturn(name: string, before: StackProcess[]): Promise<void> {
  const old = new Set(before.map(({ pid }) => pid))
  await until(`${name} is back`, async () => {
    const now = processesOf(name)
    if (now.length !== before.length || now.some(({ pid }) => old.has(pid))) return false
    const urls = [...now.map(({ internalUrl }) => internalUrl), ...stackNow().gateways]
    const ready = await Promise.all(urls.map(async (base) => (await fetch(`${base}/readyz`)).ok))
    return ready.every((isReady) => isReady)
  })
}

export function logsOf(name: string): string {
  return processesOf(name)
    .map(({ log }) => readFileSync(join(inject('stackHome'), log), 'utf8'))
    .join('\n')
}

/** What the last test took away is back, and every gateway has noticed. */
export async function gatewaysReady(): Promise<void> {
  await until('every gateway is ready', async () => {
    const ready = await Promise.all(stackNow().gateways.map(async (base) => (await fetch(`${base}/readyz`)).ok))
    return ready.every((isReady) => isReady)
  })
}
