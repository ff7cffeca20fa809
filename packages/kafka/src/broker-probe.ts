import type { Admin } from 'kafkajs'
import { type KafkaConnection, kafkaClient } from './connection.ts'
import { kafkaFault } from './kafka-fault.ts'
import { pause } from './pause.ts'

const REQUEST_TIMEOUT_MS = 2_000
const LATE_AFTER_MS = 1_000

export type BrokerState = 'up' | 'down'

export type BrokerProbe = {
  state(): BrokerState
  /** Resolves when a broker answered for the first time, rejects with the last fault after `timeoutMs`. */
  firstAnswer(timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/**
 * Asks a broker for the cluster's description over and over: an idle kafkajs producer does not notice that its broker went
 * away, and readiness has to know before somebody pays.
 */
export function openBrokerProbe(connection: KafkaConnection, intervalMs: number): BrokerProbe {
  const stop = new AbortController()
  let state: BrokerState = 'down'
  let wasLate = false
  let lastError: unknown = new Error('no broker has been asked yet')
  let announce: () => void = () => {}
  const answered = new Promise<void>((resolve) => {
    announce = resolve
  })

  async function ask(admin: Admin | undefined): Promise<Admin | undefined> {
    const { requestTimeoutMs: _, ...rest } = connection
    const asked = admin ?? kafkaClient(rest, { retries: 0, requestTimeoutMs: REQUEST_TIMEOUT_MS }).admin()
    const askedAt = performance.now()
    try {
      if (!admin) await asked.connect()
      await asked.describeCluster()
      state = 'up'
      wasLate = false
      announce()
      return asked
    } catch (thrown) {
      const error = whatHappened(thrown)
      // A process that was held up finds its own timer due before the answer it could not read: once is no sign of the broker.
      const isLate = performance.now() - askedAt >= LATE_AFTER_MS
      const isFirstLate = isLate && !wasLate
      wasLate = isLate
      if (state === 'up' && isFirstLate) {
        connection.logger.warn({ err: error }, 'Kafka answered late, once')
        await asked.disconnect().catch(() => {})
        return undefined
      }
      if (state === 'up') connection.logger.warn({ err: error }, 'Kafka does not answer')
      const fault = kafkaFault(error)
      if (fault !== undefined && fault !== kafkaFault(lastError)) connection.logger.error({}, fault)
      state = 'down'
      lastError = error
      await asked.disconnect().catch(() => {})
      return undefined
    }
  }

  async function run(): Promise<void> {
    let admin: Admin | undefined
    while (!stop.signal.aborted) {
      admin = await ask(admin)
      await pause(admin ? intervalMs : Math.min(intervalMs, 250), stop.signal)
    }
    state = 'down'
    await admin?.disconnect().catch(() => {})
  }
  const running = run()

  return {
    state: () => state,
    async firstAnswer(timeoutMs) {
      const expiry = new AbortController()
      const late = pause(timeoutMs, expiry.signal).then(() => {
        if (expiry.signal.aborted) return
        const why = kafkaFault(lastError)
        throw new Error(`no Kafka broker answered within ${timeoutMs} ms${why === undefined ? '' : `. ${why}`}`, {
          cause: lastError,
        })
      })
      try {
        await Promise.race([answered, late])
      } finally {
        expiry.abort()
      }
    },
    async close() {
      stop.abort()
      await running
    },
  }
}

/** kafkajs keeps to itself why none of the brokers that it knew answered, and stumbles over having no answer. */
function whatHappened(thrown: unknown): unknown {
  if (!(thrown instanceof TypeError)) return thrown
  return new Error(`no broker answered within ${REQUEST_TIMEOUT_MS} ms, or the connection to it was lost`, { cause: thrown })
}
