import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../process/process-identity.ts'
import type { RunningProcess } from '../process/running-process.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { startAndWait } from './start-process.ts'

function program(script: string, logFile: string) {
  const command = { program: '/bin/sh', args: ['-c', script], env: { PATH: process.env.PATH }, stopSignal: 'SIGTERM' as const }
  return { title: 'thing', command, logFile, readyTimeoutMs: 60_000, signal: new AbortController().signal }
}

describe('a start', () => {
  it('is over when the process answers; its output is in its log', async () => {
    using folder = scratchFolder()
    const logFile = join(folder.path, 'logs', 'thing-0.log')
    const answers = async () => readFileSync(logFile, 'utf8').includes('listening')
    const running = await startAndWait({ ...program('echo listening; exec sleep 600', logFile), answers })
    expect(running.exit()).toBeUndefined()
    expect(await running.stop(60_000)).toBe('ended')
    expect(await running.exited).toEqual({ code: null, signal: 'SIGTERM' })
  })

  it('fails at once when the process ends, with a sentence that names the log', async () => {
    using folder = scratchFolder()
    const logFile = join(folder.path, 'thing-0.log')
    await expect(startAndWait({ ...program('exit 7', logFile), answers: async () => false })).rejects.toThrow(
      `thing ended at its start (exit code 7); see ${logFile}.`,
    )
  })

  it('fails when no answer comes in time, and ends the process', async () => {
    using folder = scratchFolder()
    const logFile = join(folder.path, 'thing-0.log')
    let started: RunningProcess | undefined
    const attempt = startAndWait({
      ...program('exec sleep 600', logFile),
      readyTimeoutMs: 50,
      answers: async () => {
        throw new Error('connection refused')
      },
      onStarted: (running) => {
        started = running
      },
    })
    await expect(attempt).rejects.toThrow(`thing did not answer within 0.05 s; see ${logFile}.`)
    expect(started !== undefined && isAlive(started)).toBe(false)
  })

  it('does not take the answer of another program on its port for its own', async () => {
    using folder = scratchFolder()
    const logFile = join(folder.path, 'thing-0.log')
    const answersLater = async (): Promise<boolean> => {
      await once
      return true
    }
    let ended = () => {}
    const once = new Promise<void>((resolve) => {
      ended = resolve
    })
    const attempt = startAndWait({
      ...program('exit 1', logFile),
      answers: answersLater,
      onStarted: (running) => void running.exited.then(ended),
    })
    await expect(attempt).rejects.toThrow('thing ended at its start')
  })
})
