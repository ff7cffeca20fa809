import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { descendantsOf, endProcess, identify, isAlive, waitUntilGone } from './process-identity.ts'

/** A shell that says when it is as far as the test needs it. */
async function started(script: string): Promise<number> {
  const child = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  await once(child.stdout, 'data')
  if (child.pid === undefined) throw new Error('sh does not start.')
  return child.pid
}

function identityOf(pid: number) {
  const identity = identify(pid)
  if (identity === undefined) throw new Error(`Process ${pid} is gone.`)
  return identity
}

describe('a process', () => {
  it('is told apart from another one with its pid', () => {
    const self = identityOf(process.pid)
    expect(isAlive(self)).toBe(true)
    expect(isAlive({ ...self, startTime: 'another boot:1' })).toBe(false)
  })

  it('is gone when it ended, although nobody fetched its exit code', async () => {
    const identity = identityOf(await started('echo ready; sleep 600'))
    process.kill(identity.pid, 'SIGKILL')
    expect(await waitUntilGone([identity], 60_000)).toBe(true)
  })

  it('is ended with what it started', async () => {
    const identity = identityOf(await started('sleep 600 & sleep 600 & echo ready; wait'))
    const family = descendantsOf(identity.pid)
    expect(family).toHaveLength(2)
    expect(await endProcess(identity, 'SIGKILL', 0)).toBe('killed')
    expect([identity, ...family].filter(isAlive)).toEqual([])
  })

  it('is asked first, and killed when it does not listen', async () => {
    const polite = identityOf(await started('trap "exit 0" TERM; echo ready; while :; do sleep 0.05; done'))
    expect(await endProcess(polite, 'SIGTERM', 60_000)).toBe('ended')
    const deaf = identityOf(await started('trap "" TERM; echo ready; while :; do sleep 0.05; done'))
    expect(await endProcess(deaf, 'SIGTERM', 200)).toBe('killed')
    expect(isAlive(deaf)).toBe(false)
  })
})
