import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLogger } from '@turnpike/service'
import { expect, it } from 'vitest'
import { HttpExchange } from './http-exchange.ts'

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const shutdown = new AbortController()
const logger = createLogger({ service: 'gateway', format: 'json', level: 'error' })

function exchange(headers: Record<string, string> = {}) {
  const request = new IncomingMessage(new Socket())
  request.headers = headers
  const response = new ServerResponse(request)
  return {
    request,
    response,
    exchange: new HttpExchange(logger, { request, response, requestId: 'r', shutdown: shutdown.signal }),
  }
}

it('goes on with the trace that the request came with, in a span of its own', () => {
  const { traceparent } = exchange({ traceparent: TRACEPARENT }).exchange
  expect(traceparent.slice(0, 35)).toBe(TRACEPARENT.slice(0, 35))
  expect(traceparent).not.toBe(TRACEPARENT)
})

it('begins a trace where the request came with none, one and the same whenever it is asked', () => {
  const { exchange: one } = exchange()
  expect(one.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  expect(one.traceparent).toBe(one.traceparent)
  expect(exchange().exchange.traceparent).not.toBe(one.traceparent)
})

it('says when its client has gone before the answer', () => {
  const { exchange: one, response } = exchange()
  expect(one.signal.aborted).toBe(false)
  response.emit('close')
  expect(one.signal.aborted).toBe(true)
})

it('says so too when that was over before anybody asked', () => {
  const { exchange: one, response } = exchange()
  response.destroy()
  expect(one.signal.aborted).toBe(true)
})

it('is gone with its request at the next small collection, and not only at a full one', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const MIB = 1_048_576
  // The memory of a buffer is given back when the last of those who hold it is.
  const heldMib = () => Math.round(process.memoryUsage().arrayBuffers / MIB)
  /** Ends with nothing held, and tells how much was. */
  const hold = () => {
    const kept = Array.from({ length: 20 }, () => {
      const made = exchange()
      made.request.push(Buffer.allocUnsafeSlow(MIB))
      return made.exchange
    })
    expect(new Set(kept.map(({ traceparent }) => traceparent)).size).toBe(20)
    return heldMib()
  }
  // What other tests have left must not go away meanwhile.
  collect()
  const before = heldMib()
  expect(hold()).toBeGreaterThan(before + 15)
  await expect
    .poll(() => {
      collect({ type: 'minor' })
      return heldMib()
    })
    .toBeLessThan(before + 3)
})
