import { setMaxListeners } from 'node:events'
import type { PartitionWork, Work } from './partition-work.ts'

export type WorkPool = {
  /** Starts what there is room for. */
  fill(): void
  running(): number
  /** Starts nothing more, and forgets what waits to be tried again. */
  stopStarting(): void
  /** Resolves when nothing runs. */
  idle(): Promise<void>
  /** Tells everything that runs to stop. Whatever it answers from now on does not count. Returns how many there were. */
  abort(): number
}

type Deps = {
  concurrency: number
  partitions: () => Iterable<PartitionWork>
  /** Rejects when the message should be tried again. */
  perform: (work: Work, signal: AbortSignal) => Promise<void>
  retryDelayMs: (work: Work) => number
  finished: (work: Work) => void
  failed: (work: Work, error: unknown) => void
  changed: () => void
}

/** Runs at most `concurrency` messages at once over all partitions, taking from each in turn. */
export function createWorkPool(deps: Deps): WorkPool {
  const running = new Map<Work, AbortController>()
  const due: Work[] = []
  const waiting = new Map<Work, NodeJS.Timeout>()
  let turn = 0
  let open = true
  let aborted = false
  let whenIdle: (() => void)[] = []

  function nextDue(): Work | undefined {
    for (let work = due.shift(); work; work = due.shift()) {
      if (work.partition.isCurrent(work)) return work
      // Its partition was lost, or comes again from the committed offset: then it is delivered again.
      work.partition.drop(work)
    }
    return undefined
  }

  function nextQueued(): Work | undefined {
    const partitions = [...deps.partitions()].filter((partition) => partition.hasQueued())
    if (partitions.length === 0) return undefined
    turn += 1
    return partitions[turn % partitions.length]?.nextQueued()
  }

  async function run(work: Work): Promise<void> {
    const controller = new AbortController()
    setMaxListeners(0, controller.signal)
    running.set(work, controller)
    work.phase = 'running'
    work.attempt += 1
    try {
      await deps.perform(work, controller.signal)
      if (aborted) return
      work.partition.finish(work)
      deps.finished(work)
    } catch (error) {
      if (aborted) return
      deps.failed(work, error)
      tryAgainLater(work)
    } finally {
      running.delete(work)
      if (running.size === 0) for (const resolve of whenIdle.splice(0)) resolve()
      fill()
      deps.changed()
    }
  }

  function tryAgainLater(work: Work): void {
    if (!open || !work.partition.isCurrent(work)) {
      work.partition.drop(work)
      return
    }
    work.failures += 1
    work.phase = 'waiting'
    const timer = setTimeout(() => {
      waiting.delete(work)
      due.push(work)
      fill()
      deps.changed()
    }, deps.retryDelayMs(work))
    waiting.set(work, timer)
  }

  function fill(): void {
    while (open && running.size < deps.concurrency) {
      const work = nextDue() ?? nextQueued()
      if (!work) return
      void run(work)
    }
  }

  return {
    fill,
    running: () => running.size,
    stopStarting() {
      open = false
      for (const [work, timer] of waiting) {
        clearTimeout(timer)
        work.partition.drop(work)
      }
      waiting.clear()
      for (const work of due.splice(0)) work.partition.drop(work)
    },
    idle: () => (running.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => whenIdle.push(resolve))),
    abort() {
      aborted = true
      const left = [...running.values()]
      for (const controller of left) controller.abort(new Error('the consumer is shutting down'))
      whenIdle = []
      return left.length
    },
  }
}
