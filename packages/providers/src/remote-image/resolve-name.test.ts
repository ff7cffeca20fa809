import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { resolveName } from './resolve-name.ts'

const A = 1
const AAAA = 28
/** What the name server of this test knows, by name and kind. */
const RECORDS: Record<string, Partial<Record<number, Buffer[]>>> = {
  'both.example': { [A]: [Buffer.from([93, 184, 216, 34]), Buffer.from([10, 0, 0, 1])], [AAAA]: [Buffer.alloc(16, 0x26)] },
  'old.example': { [A]: [Buffer.from([1, 1, 1, 1])] },
}
let socket: Socket
let servers: string[]
let asked: string[] = []
let isMute = false

beforeAll(async () => {
  socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, kind, end } = questionOf(query)
    asked.push(`${name} ${kind}`)
    if (!isMute) socket.send(answerTo(query.subarray(0, end), kind, RECORDS[name]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  servers = [`127.0.0.1:${(socket.address() as AddressInfo).port}`]
})
afterAll(() => {
  socket.close()
})

function questionOf(query: Buffer): { name: string; kind: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), kind: query.readUInt16BE(at + 1), end: at + 5 }
}

function answerTo(question: Buffer, kind: number, known: Partial<Record<number, Buffer[]>> | undefined): Buffer {
  const records = (known?.[kind] ?? []).map((address) => {
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0) // the name of the question
    record.writeUInt16BE(kind, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(60, 6)
    record.writeUInt16BE(address.length, 10)
    return Buffer.concat([record, address])
  })
  const answer = Buffer.concat([question, ...records])
  answer.writeUInt16BE(known === undefined ? 0x8183 : 0x8180, 2) // NXDOMAIN or fine
  answer.writeUInt16BE(records.length, 6)
  answer.writeUInt16BE(0, 8)
  answer.writeUInt16BE(0, 10)
  return answer
}

const resolve = (hostname: string, signal = AbortSignal.timeout(20_000)) => resolveName(hostname, signal, servers)

it('gives every address of a name, of both kinds', async () => {
  expect((await resolve('both.example')).sort()).toEqual(['10.0.0.1', '2626:2626:2626:2626:2626:2626:2626:2626', '93.184.216.34'])
  expect(await resolve('old.example')).toEqual(['1.1.1.1'])
})

it('gives none for a name that nobody has, and asks for it as it stands', async () => {
  asked = []
  expect(await resolve('nobody.example')).toEqual([])
  expect(asked.sort()).toEqual([`nobody.example ${A}`, `nobody.example ${AAAA}`])
})

it('knows no name of this machine alone', async () => {
  expect(await resolve('localhost')).toEqual([])
})

it('stops when it is told to', async () => {
  isMute = true
  const stop = new AbortController()
  const resolving = resolve('both.example', stop.signal)
  stop.abort()
  await expect(resolving).rejects.toThrow()
  await expect(resolve('both.example', stop.signal)).rejects.toThrow()
  isMute = false
})
