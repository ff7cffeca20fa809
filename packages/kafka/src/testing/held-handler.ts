import type { ConsumedMessage } from '../consumed-message.ts'
import type { MessageHandler } from '../parallel-consumer.ts'

export type HeldHandler = {
  handler: MessageHandler
  /** Keys in the order in which they were started; a key twice was started twice. */
  started: string[]
  finished: string[]
  aborted: string[]
  mostAtOnce(): number
  /** Lets these finish, now or when they start. */
  release(...keys: string[]): void
  releaseAll(): void
}

/** A handler whose messages finish when the test says so. */
export function createHeldHandler(work: (message: ConsumedMessage) => Promise<void> = async () => {}): HeldHandler {
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const started: string[] = []
  const finished: string[] = []
  const aborted: string[] = []
  let everythingReleased = false
  let running = 0
  let most = 0

  function gateOf(key: string): PromiseWithResolvers<void> {
    const gate = gates.get(key) ?? Promise.withResolvers<void>()
    gates.set(key, gate)
    return gate
  }

  return {
    async handler(message, { signal }) {
      const key = message.key ?? ''
      started.push(key)
      running += 1
      most = Math.max(most, running)
      signal.addEventListener('abort', () => aborted.push(key))
      try {
        if (!everythingReleased) await gateOf(key).promise
        await work(message)
        finished.push(key)
      } finally {
        running -= 1
      }
    },
    started,
    finished,
    aborted,
    mostAtOnce: () => most,
    release(...keys) {
      for (const key of keys) gateOf(key).resolve()
    },
    releaseAll() {
      everythingReleased = true
      for (const gate of gates.values()) gate.resolve()
    },
  }
}
