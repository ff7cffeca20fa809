import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openTokenKeys, tokenMatches } from '@turnpike/sealing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openGatewayClient } from './gateway-client.ts'

const key = () => randomBytes(32).toString('base64')
const old = `r1:${key()}`
const rotated = `r2@2026-12-01T12:00Z:${key()},${old}`
const RECEIPT_ID = '0d3c5d5e-8c1f-4f0e-9d0a-6c1f2b3a4d5e'

/** What the gateway that is asked has been given. */
let given = ''
const gateway = createServer((request, response) => {
  const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
  const isFound = tokenMatches(openTokenKeys(given), RECEIPT_ID, token)
  response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify({ isFound }))
})
let url: string
beforeAll(async () => {
  await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
})
afterAll(() => gateway.close())

it.each([
  ['has the new key already and the gateway not, before its time', '2026-12-01T11:59:59Z', rotated, old],
  ['has the new key not yet and the gateway already, before its time', '2026-12-01T11:59:59Z', old, rotated],
  ['has the new key, after its time', '2026-12-01T12:00:00Z', rotated, rotated],
])('finds a receipt while keys of tokens are rotated: where it %s', async (_what, time, ours, theirs) => {
  given = theirs
  const deps = { urls: [url], receiptTokenKeys: openTokenKeys(ours), now: () => Date.parse(time) }
  expect(await openGatewayClient(deps).receipt(RECEIPT_ID)).toEqual({ isFound: true })
})
