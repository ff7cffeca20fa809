import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

type RequestQueue = {
  pending: unknown[]
  throttledUntil: number
  throttleCheckTimeoutId: unknown
  checkPendingRequests(): void
  destroy(): void
}
type QueueOptions = { maxInFlightRequests: number; requestTimeout: number; clientId: string; broker: string; logger: unknown }

const require = createRequire(import.meta.url)
const RequestQueue = require('kafkajs/src/network/requestQueue') as new (options: QueueOptions) => RequestQueue
const logger = { debug: () => {}, warn: () => {} }
const options = { maxInFlightRequests: 0, requestTimeout: 1_000, clientId: 'c', broker: 'b', logger }

// Without infra/patches every connection keeps a timer of 1 ms running for as long as it lives.
test('a kafkajs connection with nothing to send has no timer', () => {
  const queue = new RequestQueue(options)
  queue.checkPendingRequests()
  expect(queue.throttleCheckTimeoutId).toBeNull()
})

test('a kafkajs connection with something to send still looks again', () => {
  const queue = new RequestQueue(options)
  queue.pending.push({})
  queue.checkPendingRequests()
  expect(queue.throttleCheckTimeoutId).not.toBeNull()
  queue.destroy()
})
