import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Home, homeAt, makeHome } from '../home.ts'
import { identify, isAlive, type ProcessIdentity } from '../process/process-identity.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import type { Unit, UnitKind } from '../units/unit.ts'
import { endLeftovers, recordProcesses } from './process-record.ts'
import { Supervisor } from './supervisor.ts'
import type { Terminal } from './terminal.ts'

const silent: Terminal = {
  title: () => {},
  progress: () => {},
  ready: () => {},
  problem: () => {},
  blank: () => {},
  fact: () => {},
  heading: () => {},
}

/** Real processes that write what happens to them into one file, in order. */
const script = `trap 'echo "$0 stops" >> "$STORY"; exit 0' TERM; echo "$0 runs" >> "$STORY"; while :; do sleep 0.02; done`

describe('the supervisor', () => {
  let folder: ReturnType<typeof scratchFolder>
  let home: Home
  let story: string
  let supervisor: Supervisor
  let changes = 0

  beforeEach(() => {
    folder = scratchFolder()
    home = homeAt(folder.path)
    makeHome(home)
    story = join(folder.path, 'story')
    writeFileSync(story, '')
    changes = 0
  })

  afterEach(async () => {
    await supervisor.stop()
    folder[Symbol.dispose]()
  })

  function unit(name: string, kind: UnitKind, more: Partial<Unit> & { script?: string } = {}): Unit {
    let launches = 0
    return {
      ...{ name, replica: 0, kind, needs: [], stopRank: 1, where: '', readyTimeoutMs: 60_000 },
      obtain: async () => {},
      launch: async () => {
        launches++
        return {
          program: '/bin/sh',
          args: ['-c', more.script ?? script, name],
          env: { PATH: process.env.PATH, STORY: story },
          stopSignal: 'SIGTERM',
        }
      },
      // Each start answers for itself, not an earlier one for it.
      answers: async () => chapters().filter((chapter) => chapter === `${name} runs`).length === launches,
      fill: async () => {},
      ...more,
    }
  }

  const chapters = () => readFileSync(story, 'utf8').split('\n').filter(Boolean)
  const pidOf = (name: string) => supervisor.processes().find((process) => process.name === name)?.pid ?? 0

  async function bringUp(...units: Unit[]): Promise<void> {
    supervisor = new Supervisor({ home, terminal: silent, units, onChange: () => changes++ })
    await supervisor.bringUp()
  }

  function identityOf(name: string): ProcessIdentity {
    const identity = identify(pidOf(name))
    if (identity === undefined) throw new Error(`${name} does not run.`)
    return identity
  }

  it('starts what needs something after it, and stops in the other direction', async () => {
    await bringUp(
      unit('database', 'infrastructure', { stopRank: 1 }),
      unit('migration', 'task', { needs: ['database'], script: 'echo "migration runs" >> "$STORY"' }),
      unit('service', 'service', { needs: ['migration'], stopRank: 2 }),
    )
    expect(chapters()).toEqual(['database runs', 'migration runs', 'service runs'])
    const family = [identityOf('database'), identityOf('service')]
    await supervisor.stop()
    expect(chapters().slice(3)).toEqual(['service stops', 'database stops'])
    expect(family.filter(isAlive)).toEqual([])
  })

  it('fetches everything at once, whatever needs what', async () => {
    let fetching = 0
    let release = () => {}
    const everybodyFetches = new Promise<void>((resolve) => {
      release = resolve
    })
    const obtain = async () => {
      fetching++
      if (fetching === 2) release()
      await everybodyFetches
    }
    await bringUp(unit('first', 'infrastructure', { obtain }), unit('second', 'infrastructure', { needs: ['first'], obtain }))
    expect(chapters()).toEqual(['first runs', 'second runs'])
  })

  it('starts a service that died again, with its new pid', async () => {
    await bringUp(unit('service', 'service'))
    const old = identityOf('service')
    process.kill(old.pid, 'SIGKILL')
    await expect.poll(() => chapters()).toEqual(['service runs', 'service runs'])
    await expect.poll(() => changes).toBe(1)
    expect(pidOf('service')).not.toBe(old.pid)
    expect(isAlive(identityOf('service'))).toBe(true)
  })

  it('leaves infrastructure that died alone, until it is told to start it', async () => {
    await bringUp(unit('broker', 'infrastructure'), unit('service', 'service'))
    process.kill(pidOf('broker'), 'SIGKILL')
    await expect.poll(() => pidOf('broker')).toBe(0)
    expect(await supervisor.control('start', 'broker')).toMatchObject({ ok: true })
    expect(isAlive(identityOf('broker'))).toBe(true)
  })

  it('kills, stops and starts infrastructure on request', async () => {
    await bringUp(unit('broker', 'infrastructure'))
    expect(await supervisor.control('kill', 'broker')).toMatchObject({ ok: true })
    expect(pidOf('broker')).toBe(0)
    expect(await supervisor.control('stop', 'broker')).toEqual({ ok: false, sentence: 'broker does not run.' })
    expect(await supervisor.control('start', 'broker')).toMatchObject({ ok: true })
    expect(await supervisor.control('stop', 'broker')).toMatchObject({ ok: true })
    expect(chapters()).toEqual(['broker runs', 'broker runs', 'broker stops'])
  })

  it('fails with the first failure, and leaves nothing running', async () => {
    const attempt = bringUp(
      unit('database', 'infrastructure'),
      unit('broken', 'service', { needs: ['database'], script: 'exit 3' }),
      unit('late', 'infrastructure', { answers: async () => false }),
    )
    await expect(attempt).rejects.toThrow(`broken ended at its start (exit code 3); see ${home.logOf('broken', 0)}.`)
    await supervisor.stop()
    expect(supervisor.processes()).toEqual([])
    expect(JSON.parse(readFileSync(home.processesFile, 'utf8'))).toEqual([])
  })

  it('fails when something dies after it was ready, while the rest still comes up', async () => {
    const untilTold = 'echo "early runs" >> "$STORY"; while [ ! -e "$STORY.end" ]; do sleep 0.02; done; exit 7'
    const attempt = bringUp(
      unit('early', 'service', { script: untilTold }),
      unit('late', 'infrastructure', {
        needs: ['early'],
        answers: async () => {
          writeFileSync(`${story}.end`, '')
          return pidOf('early') === 0
        },
      }),
    )
    await expect(attempt).rejects.toThrow(`early died while the rest came up (exit code 7); see ${home.logOf('early', 0)}.`)
  })

  it('fails when a task fails', async () => {
    const attempt = bringUp(unit('migration', 'task', { script: 'exit 1' }))
    await expect(attempt).rejects.toThrow(`migration failed (exit code 1); see ${home.logOf('migration', 0)}.`)
  })

  it('records every process, so that another start can end what this one leaves behind', async () => {
    await bringUp(unit('broker', 'infrastructure'), unit('service', 'service'))
    const left = [identityOf('broker'), identityOf('service')]
    expect(await endLeftovers(home)).toBe(2)
    expect(left.filter(isAlive)).toEqual([])
  })
})

describe('what a killed supervisor left behind', () => {
  it('is not mistaken for somebody else who has its pid now', async () => {
    using folder = scratchFolder()
    const home = homeAt(folder.path)
    makeHome(home)
    recordProcesses(home, [{ name: 'old', pid: process.pid, startTime: 'an earlier boot:1', stopSignal: 'SIGKILL' }])
    expect(await endLeftovers(home)).toBe(0)
    expect(existsSync(home.processesFile)).toBe(true)
  })
})
