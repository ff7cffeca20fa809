import type { Logger } from '@turnpike/service'
import type { SampleEnd, SampleKey } from '@turnpike/storage/staged-audio'

const UP_EVERY_MS = 10_000
const AWAY_EVERY_MS = 2_000
/** Redis is not connected yet, or away. */
const UNKNOWN_EVERY_MS = 500

export type WatchedKeys = {
  /** Whether staged audio can be opened, as far as is known. */
  isUp(): boolean
  /** Resolves when nothing is known to stand in the way: at once where nobody stages. */
  firstUp(): Promise<void>
  close(): void
}

/**
 * Finds out, from the start on and regularly, whether this worker may unwrap what the gateways wrap, and leaves word for them: a client
 * must not sign for audio that nobody can open. Every question is a call that a key service charges for.
 */
export function watchKeys({ sample, logger }: { sample: Pick<SampleKey, 'open' | 'tell'>; logger: Logger }): WatchedKeys {
  let state: 'up' | 'away' | 'unknown' = 'unknown'
  let isOver = false
  let timer: NodeJS.Timeout
  const firstUp = Promise.withResolvers<void>()

  async function ask(): Promise<void> {
    const found = await answer()
    if (found === 'away' && state !== 'away')
      logger.error({}, 'staged audio cannot be opened: the key service is away or refuses')
    if (found === 'up' && state === 'away') logger.info({}, 'staged audio can be opened again')
    // What cannot be asked says nothing new.
    if (found !== 'unknown') state = found
    if (state === 'up') firstUp.resolve()
    if (!isOver) timer = setTimeout(() => void ask(), found === 'unknown' ? UNKNOWN_EVERY_MS : everyMs(found))
  }
  async function answer(): Promise<typeof state> {
    try {
      const end = await sample.open()
      await tell(end)
      // Where the sample is gone (Redis was emptied, no gateway runs) who was refused before has been given nothing.
      if (end === 'none' && state === 'away') return 'unknown'
      return end === 'refused' ? 'away' : 'up'
    } catch (error) {
      logger.debug({ error }, 'the sample of a staging key could not be read')
      return 'unknown'
    }
  }
  /** The gateways then know less; what was found out here holds all the same. */
  async function tell(end: SampleEnd): Promise<void> {
    try {
      await sample.tell(end)
    } catch (error) {
      logger.warn({ error }, 'the gateways could not be told whether staged audio can be opened')
    }
  }
  void ask()

  return {
    isUp: () => state !== 'away',
    firstUp: () => firstUp.promise,
    close() {
      isOver = true
      clearTimeout(timer)
    },
  }
}

function everyMs(state: 'up' | 'away'): number {
  return state === 'up' ? UP_EVERY_MS : AWAY_EVERY_MS
}
