import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Trick } from './fault.ts'

/** One call that the proxy keeps until it is told to let go. */
export type HeldCall = { body: string; release(): void }

export type Tricks = {
  does: Trick
  /** Calls whose path is this one; every call when it is left out. */
  path?: string
  /** For `late`. */
  ms: number
  /** Answers of the meaning that the caller does not expect; each side of the proxy has its own wire. */
  wrong: { refuses(requestBody: string): string; confirms(requestBody: string): string }
}

export type FaultProxy = {
  url: string
  /** Holds the next call to a path, on its way there or back. Rejects when none comes in time. */
  hold(path: string, when: 'before' | 'after', timeoutMs: number): Promise<HeldCall>
  /** From now on; undefined plays no trick and lets go of everything that a trick keeps. */
  play(tricks: Tricks | undefined): void
  /** The bodies of the calls that the present trick was played on. */
  fooled(): readonly string[]
  close(): Promise<void>
}

type Answer = { status: number; contentType: string; body: Buffer }
type Wanted = { path: string; when: 'before' | 'after'; take(call: HeldCall): void }

/** Nothing is held for longer than this, whatever becomes of who asked for it. */
const LONGEST_HOLD_MS = 10_000

/** A real HTTP hop that can be told to misbehave. It knows nothing of what it carries. */
export async function openFaultProxy(target: string): Promise<FaultProxy> {
  let tricks: Tricks | undefined
  let fooled: string[] = []
  let wanted: Wanted[] = []
  let endTrick: (() => void)[] = []

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming)
    const text = body.toString('utf8')
    const path = incoming.url ?? '/'
    const pass = () => passOn(target, incoming, body)
    await holdAt(path, 'before', text)
    const played = tricks
    if (played === undefined || (played.path !== undefined && played.path !== path)) {
      const answer = await pass()
      await holdAt(path, 'after', text)
      return send(outgoing, answer)
    }
    fooled.push(text)
    const over = new Promise<void>((resolve) => endTrick.push(resolve))
    switch (played.does) {
      case 'late': {
        const answer = await pass()
        await Promise.race([over, pause(played.ms)])
        return send(outgoing, answer)
      }
      case 'never':
        await pass()
        await over
        return void outgoing.destroy()
      case 'lost':
        await over
        return void outgoing.destroy()
      case 'twice': {
        const [, second] = await Promise.all([pass(), pass()])
        return send(outgoing, second)
      }
      case 'fails':
        await pass()
        return send(outgoing, { status: 500, contentType: 'application/json', body: Buffer.from('{"error":"Internal error"}') })
      case 'cut': {
        const answer = await pass()
        outgoing.writeHead(answer.status, { 'content-type': answer.contentType, 'content-length': answer.body.length })
        outgoing.write(answer.body.subarray(0, answer.body.length >> 1))
        return void setImmediate(() => outgoing.destroy())
      }
      case 'refuses':
        await pass()
        return send(outgoing, { status: 200, contentType: 'application/json', body: Buffer.from(played.wrong.refuses(text)) })
      case 'confirms':
        return send(outgoing, { status: 200, contentType: 'application/json', body: Buffer.from(played.wrong.confirms(text)) })
      case 'garbage':
        await pass()
        return send(outgoing, { status: 200, contentType: 'application/json', body: Buffer.from('{"result":') })
    }
  }

  async function holdAt(path: string, when: 'before' | 'after', body: string): Promise<void> {
    const index = wanted.findIndex((one) => one.path === path && one.when === when)
    const [taker] = index < 0 ? [] : wanted.splice(index, 1)
    if (taker === undefined) return
    await new Promise<void>((resolve) => {
      setTimeout(resolve, LONGEST_HOLD_MS).unref()
      taker.take({ body, release: resolve })
    })
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (path, when, timeoutMs) =>
      new Promise((resolve, reject) => {
        const one: Wanted = {
          path,
          when,
          take: (call) => {
            clearTimeout(timer)
            resolve(call)
          },
        }
        const timer = setTimeout(() => {
          wanted = wanted.filter((other) => other !== one)
          reject(new Error(`no call to ${path} within ${timeoutMs} ms`))
        }, timeoutMs)
        wanted.push(one)
      }),
    play(next) {
      tricks = next
      fooled = []
      for (const end of endTrick) end()
      endTrick = []
    },
    fooled: () => fooled,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function passOn(target: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { connection: _, host: __, 'transfer-encoding': ___, ...headers } = incoming.headers
    const outgoing = forward(
      `${target}${incoming.url ?? '/'}`,
      { method: incoming.method ?? 'GET', headers: { ...headers, 'content-length': String(body.length) }, agent: false },
      (response) => {
        readAll(response).then((read) => {
          const contentType = response.headers['content-type'] ?? 'application/json'
          resolve({ status: response.statusCode ?? 502, contentType, body: read })
        }, reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

function send(outgoing: ServerResponse, { status, contentType, body }: Answer): void {
  outgoing.writeHead(status, { 'content-type': contentType, 'content-length': body.length })
  outgoing.end(body)
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
