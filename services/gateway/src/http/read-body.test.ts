import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '@turnpike/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type BodyRoom, openBodyRoom } from './byte-budget.ts'
import { type BodyRead, readBody } from './read-body.ts'
import { PACE } from './read-body-large.ts'

const MIB = 1_048_576
let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server that reads one body after the other and answers with what came of it. */
async function serve(room: BodyRoom, maxBytes = 4 * MIB) {
  const reads: BodyRead[] = []
  let arrived = 0
  server = createServer(async (request: IncomingMessage, response) => {
    arrived += 1
    const read = await readBody(request, { maxBytes, client: String(request.headers['x-client'] ?? 'a'), room })
    reads.push(read)
    response.end(read.kind)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = (headers: Record<string, string | number> = {}) => {
    const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers })
    request.on('error', () => {})
    return request
  }
  return { reads, open, arrived: () => arrived }
}

describe('a body', () => {
  it.each([
    ['small, announced', 1_000, true],
    ['small, not announced', 1_000, false],
    ['large, announced', 3 * MIB, true],
    ['large, not announced', 3 * MIB, false],
  ])('that is %s arrives whole, and its room is given back', async (_what, length, isAnnounced) => {
    const room = openBodyRoom({ maxBytes: 32 * MIB })
    const { reads, open } = await serve(room)
    const body = Buffer.alloc(length, 'every byte of it')
    open(isAnnounced ? { 'content-length': length } : { 'transfer-encoding': 'chunked' }).end(body)
    const read = await until('the body', () => reads[0])
    if (read.kind !== 'body') throw new Error(read.kind)
    expect(read.take().equals(body)).toBe(true)
    const isLarge = length > MIB
    expect(room.small.taken()).toBe(isLarge ? 0 : length)
    expect(room.large.takenBytes()).toBe(isLarge ? (isAnnounced ? length : 4 * MIB) : 0)
    read.giveBack()
    expect([room.small.taken(), room.large.takenBytes()]).toEqual([0, 0])
  })

  it('beyond its limit is refused, before it is read when it is announced', async () => {
    const room = openBodyRoom({ maxBytes: 32 * MIB })
    const { reads, open } = await serve(room)
    open({ 'content-length': 4 * MIB + 1 }).flushHeaders()
    await until('the first refusal', () => reads.length === 1)
    open({ 'transfer-encoding': 'chunked' }).end(Buffer.alloc(4 * MIB + 1))
    await until('the second refusal', () => reads.length === 2)
    expect(reads.map((read) => read.kind)).toEqual(['too_large', 'too_large'])
    expect([room.small.taken(), room.large.takenBytes()]).toEqual([0, 0])
  })

  it('that finds no room waits unread, and is read when there is', async () => {
    const room = openBodyRoom({ maxBytes: 4 * MIB })
    const { reads, open, arrived } = await serve(room)
    const held = await room.large.reserve('b', 3 * MIB, new AbortController().signal)
    open({ 'content-length': 2 * MIB }).end(Buffer.alloc(2 * MIB))
    await until('the request', () => arrived() === 1 && room.large.waiting() === 1)
    expect(reads).toEqual([])
    if (held.kind === 'reserved') held.release()
    await until('the body', () => reads[0]?.kind === 'body')
  })

  it('of a client that goes while it waits, or while it sends, is forgotten', async () => {
    const room = openBodyRoom({ maxBytes: 4 * MIB })
    const { reads, open } = await serve(room)
    const sending = open({ 'content-length': 2 * MIB })
    sending.write(Buffer.alloc(MIB))
    await until('the first to be read', () => room.large.takenBytes() === 2 * MIB)
    const waiting = open({ 'content-length': 2 * MIB })
    waiting.flushHeaders()
    await until('the second to wait', () => room.large.waiting() === 1)
    waiting.destroy()
    await until('the second to leave', () => reads.length === 1)
    sending.destroy()
    await until('the first to leave', () => reads.length === 2)
    expect(reads.map((read) => read.kind)).toEqual(['aborted', 'aborted'])
    expect([room.large.takenBytes(), room.large.waiting()]).toEqual([0, 0])
  })

  it.each([
    ['stops', 0],
    ['drips', 1_000],
  ])('that %s is cut off, and its room given back', async (_how, bytesPerCheck) => {
    const room = openBodyRoom({ maxBytes: 32 * MIB })
    const { reads, open } = await serve(room)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    try {
      const request = open({ 'content-length': 2 * MIB })
      request.write(Buffer.alloc(1_000))
      await expect.poll(() => room.large.takenBytes()).toBe(2 * MIB)
      for (let elapsedMs = 0; elapsedMs < PACE.graceMs + PACE.maxIdleMs && reads.length === 0; elapsedMs += PACE.checkEveryMs) {
        if (bytesPerCheck > 0) request.write(Buffer.alloc(bytesPerCheck))
        await new Promise<void>((sent) => setImmediate(() => setImmediate(sent)))
        await vi.advanceTimersByTimeAsync(PACE.checkEveryMs)
      }
      expect(reads.map((read) => read.kind)).toEqual(['too_slow'])
      expect(room.large.takenBytes()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
