import { setTimeout as sleep } from 'node:timers/promises'
import { StackFailure, sentenceOf } from '../failure.ts'
import type { Home } from '../home.ts'
import { startAndWait } from '../parts/start-process.ts'
import { describeExit, type RunningProcess, startProcess } from '../process/running-process.ts'
import type { StackProcess } from '../stack-file.ts'
import { titleOf, type Unit } from '../units/unit.ts'
import { afterExit, decidePart, type PartAction, type Phase } from './lifecycle.ts'
import { recordProcesses } from './process-record.ts'
import { runTask } from './run-task.ts'
import { graceOf, stopOrder } from './stop-order.ts'
import { formatMs, type Terminal } from './terminal.ts'

interface Entry {
  readonly unit: Unit
  phase: Phase
  running: RunningProcess | undefined
}

export interface SupervisorDeps {
  readonly home: Home
  readonly terminal: Terminal
  readonly units: readonly Unit[]
  /** Called whenever a process came or went while the stack is up. */
  readonly onChange: () => void
}

const restartAfterMs = 1_000

export class Supervisor {
  readonly #deps: SupervisorDeps
  readonly #entries: readonly Entry[]
  readonly #abort = new AbortController()
  readonly #startFailures: unknown[] = []
  #isUp = false
  #control: Promise<unknown> = Promise.resolve()

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
    this.#entries = deps.units.map((unit) => ({ unit, phase: 'down', running: undefined }))
  }

  /** Brings up every unit, each as soon as what it needs is ready. The first failure ends the attempt and is thrown. */
  async bringUp(): Promise<void> {
    const readyByName = new Map<string, Promise<void>[]>()
    const attempts: Promise<void>[] = []
    // Units come after those that they need, so whoever is looked for here is there already.
    for (const entry of this.#entries) {
      const needed = entry.unit.needs.flatMap((name) => readyByName.get(name) ?? [])
      const attempt = this.#bringUpOne(entry, needed)
      attempt.catch((error: unknown) => this.#failStart(error))
      readyByName.set(entry.unit.name, [...(readyByName.get(entry.unit.name) ?? []), attempt])
      attempts.push(attempt)
    }
    await Promise.allSettled(attempts)
    // The rest failed because the first one did.
    if (this.#startFailures.length > 0) throw this.#startFailures[0]
    this.#isUp = true
  }

  #failStart(failure: unknown): void {
    this.#startFailures.push(failure)
    this.#abort.abort()
  }

  /** Ends a start that is under way. */
  interrupt(): void {
    this.#abort.abort()
  }

  /** What runs, in the order of the plan. */
  processes(): StackProcess[] {
    return this.#entries.flatMap(({ unit, running }) => {
      if (running === undefined || unit.kind === 'task') return []
      const { name, replica, internalUrl } = unit
      const log = this.#deps.home.logName(name, replica)
      return [{ name, replica, pid: running.pid, ...(internalUrl === undefined ? {} : { internalUrl }), log }]
    })
  }

  /** Acts on one infrastructure process; returns what to tell the person who asked. One at a time. */
  control(action: PartAction, name: string): Promise<{ ok: boolean; sentence: string }> {
    const turn = this.#control.then(() => this.#controlOne(action, name))
    this.#control = turn.catch(() => {})
    return turn
  }

  /** Stops everything, from the front to the back, and kills what does not go by itself. */
  async stop(): Promise<void> {
    this.#isUp = false
    this.#abort.abort()
    const startedMs = Date.now()
    for (const tier of stopOrder(this.#entries)) {
      const graceMs = graceOf(tier.rank, Date.now() - startedMs)
      await Promise.all(tier.members.map((entry) => this.#stopOne(entry, graceMs)))
    }
  }

  /** Kills everything at once, for somebody who cannot wait. */
  async killAll(): Promise<void> {
    await Promise.all(this.#entries.map(({ running }) => running?.kill()))
  }

  async #bringUpOne(entry: Entry, needed: readonly Promise<void>[]): Promise<void> {
    const { unit } = entry
    const { terminal } = this.#deps
    const signal = this.#abort.signal
    const fetchStartedMs = Date.now()
    let fetched = false
    const say = (line: string) => {
      fetched = true
      terminal.progress(titleOf(unit), line)
    }
    await unit.obtain({ say, signal })
    const fetchMs = Date.now() - fetchStartedMs
    if (fetched) terminal.progress(titleOf(unit), 'fetched', fetchMs)
    await Promise.all(needed)
    signal.throwIfAborted()
    await this.#startEntry(entry)
  }

  /** Starts it, waits until it answers, fills it. */
  async #startEntry(entry: Entry): Promise<void> {
    const { unit } = entry
    const { terminal, home } = this.#deps
    const startedMs = Date.now()
    const say = (line: string) => terminal.progress(titleOf(unit), line)
    const command = await unit.launch()
    if (command !== undefined) {
      terminal.progress(titleOf(unit), 'starting')
      entry.phase = 'starting'
      try {
        if (unit.kind === 'task') {
          const logFile = home.logOf(unit.name, unit.replica)
          await runTask({
            unit,
            command,
            logFile,
            signal: this.#abort.signal,
            onStarted: (running) => this.#adopt(entry, running),
          })
        } else {
          await startAndWait({
            title: titleOf(unit),
            command,
            logFile: home.logOf(unit.name, unit.replica),
            answers: () => unit.answers(),
            readyTimeoutMs: unit.readyTimeoutMs,
            signal: this.#abort.signal,
            onStarted: (running) => this.#adopt(entry, running),
          })
        }
        await unit.fill(say)
      } catch (error) {
        // Whoever asked for the start decides what happens next; a process that stays behind is stopped with the rest.
        if (entry.running === undefined) entry.phase = 'down'
        throw error
      }
      if (unit.kind !== 'task') entry.phase = 'up'
      // It may have died between its first answer and this line.
      if (unit.kind !== 'task' && entry.running === undefined)
        throw new StackFailure(`${titleOf(unit)} ended; see ${home.logOf(unit.name, unit.replica)}.`)
    } else {
      await unit.fill(say)
    }
    terminal.ready(titleOf(unit), unit.where, Date.now() - startedMs)
  }

  #adopt(entry: Entry, running: RunningProcess): void {
    entry.running = running
    this.#changed()
    void running.exited.then(() => this.#onExit(entry, running))
  }

  #onExit(entry: Entry, running: RunningProcess): void {
    if (entry.running !== running) return
    const { unit, phase } = entry
    const { terminal } = this.#deps
    const exit = running.exit()
    const how = exit === undefined ? 'ended' : describeExit(exit)
    entry.running = undefined
    if (!this.#isUp) {
      if (phase === 'up' && !this.#abort.signal.aborted) this.#failStart(diedMeanwhile(unit, how, this.#deps.home))
      this.#changed()
      return
    }
    switch (afterExit(unit.kind, phase)) {
      case 'start again':
        entry.phase = 'waiting'
        terminal.problem(titleOf(unit), `died (${how}); it starts again in a second`)
        setTimeout(() => void this.#startAgain(entry), restartAfterMs)
        // The stack file keeps the old pid until there is a new one.
        return
      case 'say so':
        entry.phase = 'down'
        terminal.problem(titleOf(unit), `died (${how}); npm run part -- start ${unit.name} brings it back`)
        break
      case 'nothing':
        break
    }
    this.#changed()
  }

  async #startAgain(entry: Entry): Promise<void> {
    const { unit } = entry
    const { terminal, home } = this.#deps
    if (!this.#isUp || entry.phase !== 'waiting') return
    const startedMs = Date.now()
    try {
      const command = await unit.launch()
      if (command === undefined || !this.#isUp) return
      const running = startProcess(command, home.logOf(unit.name, unit.replica))
      entry.phase = 'up'
      this.#adopt(entry, running)
      while (running.exit() === undefined && this.#isUp) {
        if (await unit.answers().catch(() => false)) {
          terminal.ready(titleOf(unit), `${unit.where}, process ${running.pid}`, Date.now() - startedMs)
          return
        }
        await Promise.race([sleep(200), running.exited])
      }
    } catch (error) {
      terminal.problem(titleOf(unit), sentenceOf(error))
      entry.phase = 'waiting'
      setTimeout(() => void this.#startAgain(entry), restartAfterMs)
    }
  }

  async #controlOne(action: PartAction, name: string): Promise<{ ok: boolean; sentence: string }> {
    if (!this.#isUp) return { ok: false, sentence: 'The stack is not up.' }
    const entry = this.#entries.find(({ unit }) => unit.name === name)
    const known = this.#entries
      .filter(({ unit }) => unit.kind === 'infrastructure' || unit.kind === 'managed')
      .map(({ unit }) => unit.name)
    const decision = decidePart(action, name, entry && { kind: entry.unit.kind, phase: entry.phase }, known)
    if ('nothing' in decision) return { ok: true, sentence: decision.nothing }
    if ('refuse' in decision || entry === undefined) return { ok: false, sentence: 'refuse' in decision ? decision.refuse : '' }
    const startedMs = Date.now()
    const took = () => formatMs(Date.now() - startedMs)
    switch (decision.do) {
      case 'start':
        try {
          await this.#startEntry(entry)
        } catch (error) {
          entry.phase = 'down'
          return { ok: false, sentence: sentenceOf(error) }
        }
        return { ok: true, sentence: `${name} is ready (${took()}).` }
      case 'stop': {
        const how = await this.#stopOne(entry, 10_000)
        this.#deps.terminal.problem(name, how === 'killed' ? 'killed, it did not stop in time' : 'stopped')
        const stopped = how === 'killed' ? 'did not stop in time and was killed' : 'is stopped'
        return { ok: true, sentence: `${name} ${stopped} (${took()}).` }
      }
      case 'kill': {
        entry.phase = 'stopping'
        await entry.running?.kill()
        this.#gone(entry)
        this.#deps.terminal.problem(name, 'killed')
        return { ok: true, sentence: `${name} is killed (${took()}).` }
      }
    }
  }

  async #stopOne(entry: Entry, graceMs: number): Promise<'ended' | 'killed' | undefined> {
    if (entry.running === undefined) {
      entry.phase = 'down'
      return undefined
    }
    entry.phase = 'stopping'
    const how = await entry.running.stop(graceMs)
    this.#gone(entry)
    return how
  }

  #gone(entry: Entry): void {
    entry.running = undefined
    entry.phase = 'down'
    this.#changed()
  }

  #changed(): void {
    recordProcesses(
      this.#deps.home,
      this.#entries.flatMap(({ unit, running }) =>
        running === undefined
          ? []
          : [{ name: titleOf(unit), pid: running.pid, startTime: running.startTime, stopSignal: running.command.stopSignal }],
      ),
    )
    if (this.#isUp) this.#deps.onChange()
  }
}

/** Nobody looks at it any more by then: what was ready is not asked again. */
function diedMeanwhile(unit: Unit, how: string, home: Home): StackFailure {
  return new StackFailure(`${titleOf(unit)} died while the rest came up (${how}); see ${home.logOf(unit.name, unit.replica)}.`)
}
