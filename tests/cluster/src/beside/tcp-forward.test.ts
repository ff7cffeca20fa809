import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '@turnpike/local'
import { afterAll, expect, it } from 'vitest'
import { forwardTcp } from './tcp-forward.ts'

const servers = ['one', 'two'].map((name) => createServer((_request, response) => response.end(name)))
afterAll(() => servers.map((server) => server.close()))

it('hands each connection to the target of the moment, and hangs up where there is none', async () => {
  const ports: number[] = []
  for (const server of servers) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    ports.push((server.address() as AddressInfo).port)
  }
  let target: number | undefined = ports[0]
  const forward = await forwardTcp('127.0.0.1', await freePort(), () => target)
  const ask = async () => (await fetch(`http://127.0.0.1:${forward.port}`, { headers: { connection: 'close' } })).text()
  expect(await ask()).toBe('one')
  target = ports[1]
  expect(await ask()).toBe('two')
  target = undefined
  await expect(ask()).rejects.toThrow()
  await forward.close()
})
