import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Server } from 'node:net'
import { dirname } from 'node:path'
import { StackFailure, sentenceOf } from '../failure.ts'
import type { Home } from '../home.ts'
import { isPartAction, type PartAction } from './lifecycle.ts'

export interface ControlAnswer {
  readonly ok: boolean
  readonly sentence: string
}

type Act = (action: PartAction, name: string) => Promise<ControlAnswer>

const maxRequestBytes = 4_096

/** Takes orders for the running stack: one line of JSON in, one out. Only the owner of the home can reach it. */
export async function serveControl(home: Home, act: Act): Promise<Server> {
  mkdirSync(dirname(home.controlSocket), { recursive: true, mode: 0o700 })
  rmSync(home.controlSocket, { force: true })
  const server = createServer((socket) => {
    let received = ''
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => {
      received += chunk
      if (received.length > maxRequestBytes) socket.destroy()
      if (!received.includes('\n')) return
      socket.pause()
      void answer(act, received).then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(home.controlSocket, resolve)
  })
  chmodSync(home.controlSocket, 0o600)
  return server
}

async function answer(act: Act, received: string): Promise<ControlAnswer> {
  try {
    const { action, name } = JSON.parse(received) as { action?: unknown; name?: unknown }
    if (!isPartAction(action) || typeof name !== 'string')
      return { ok: false, sentence: 'That is no order that a stack understands.' }
    return await act(action, name)
  } catch (error) {
    return { ok: false, sentence: sentenceOf(error) }
  }
}

/** Gives an order to the stack that runs on a home. */
export function sendControl(home: Home, action: PartAction, name: string): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(home.controlSocket)
    let received = ''
    socket.setEncoding('utf8')
    socket.on('connect', () => socket.write(`${JSON.stringify({ action, name })}\n`))
    socket.on('data', (chunk: string) => {
      received += chunk
    })
    socket.on('error', () =>
      reject(new StackFailure(`No stack runs on ${home.folder}; start it with npm start, or set TURNPIKE_HOME.`)),
    )
    socket.on('end', () => {
      if (received === '') reject(new StackFailure('The stack ended before it answered.'))
      else resolve(JSON.parse(received) as ControlAnswer)
    })
  })
}
