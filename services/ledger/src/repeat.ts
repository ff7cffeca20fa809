import type { Logger } from '@turnpike/service'
import { pause } from './pause.ts'

// A database that is away is asked less often than one that works.
const AFTER_FAULT_MS = 1_000

export type Repetition = { stop(): Promise<void> }

/**
 * Runs `work` over and over, `everyMs` after it last ended, at once where it says that there is more. A fault is logged and the next
 * turn comes a little later. `stop` waits for the turn that runs.
 */
export function repeat(options: {
  name: string
  everyMs: number
  work: () => Promise<boolean | undefined>
  logger: Logger
}): Repetition {
  const { name, everyMs, work, logger } = options
  const stopped = new AbortController()
  const turn = async () => {
    try {
      return (await work()) === true ? 0 : everyMs
    } catch (error) {
      logger.warn({ error, loop: name }, 'a turn failed, the next one follows')
      return Math.max(everyMs, AFTER_FAULT_MS)
    }
  }
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await pause(await turn(), stopped.signal)
    }
  })()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}
