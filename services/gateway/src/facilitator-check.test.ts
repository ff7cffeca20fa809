import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { newAuthority } from '@turnpike/local'
import { openFacilitatorClient } from '@turnpike/payments'
import { expect, it, onTestFinished } from 'vitest'
import { facilitatorCheck } from './facilitator-check.ts'
import { openLedgerClient } from './ledger/ledger-client.ts'

// Both services that a gateway calls, over HTTPS as its own authority vouches for it, with a token that may be wrong.
const TOKEN = 'the-token-of-the-test'
const answers: RequestListener = (request, response) => {
  const isOpen = request.url === '/readyz'
  const isKnown = request.headers.authorization === `Bearer ${TOKEN}`
  response.writeHead(isOpen || isKnown ? 200 : 401, { 'content-type': 'application/json' }).end('{"kinds":[],"keys":[]}')
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function checks(options: { url: string; token?: string; tlsCa?: string }) {
  const { url, token = TOKEN, tlsCa } = options
  const told: string[] = []
  const tell = (sentence: string) => told.push(sentence)
  const facilitator = openFacilitatorClient({ url, timeoutMs: 2_000, headers: { authorization: `Bearer ${token}` }, tlsCa })
  const ledger = openLedgerClient({ urls: [url], token, tlsCa, onRefused: tell })
  onTestFinished(async () => void (await Promise.all([facilitator.close(), ledger.close()])))
  const check = facilitatorCheck({ facilitator, tell })
  const twice = [await check(), await ledger.ready(), await check(), await ledger.ready()]
  return { twice, told: told.sort() }
}

const UP = [true, true, true, true]
const AWAY = [false, false, false, false]

it('are up with the right token, and over HTTPS with the right authority', async () => {
  const [authority, stranger] = [await newAuthority(), await newAuthority()]
  const { cert, key } = await authority.issue('ledger')
  const url = `https://127.0.0.1:${await listening(createHttps({ cert, key }, answers))}`
  expect(await checks({ url, tlsCa: authority.ca })).toEqual({ twice: UP, told: [] })
  for (const tlsCa of [stranger.ca, undefined]) {
    expect(await checks({ url, ...(tlsCa === undefined ? {} : { tlsCa }) })).toEqual({
      twice: AWAY,
      told: [
        'The certificate of the facilitator is not signed by an authority that is trusted here: see FACILITATOR_TLS_CA.',
        'The certificate of the ledger is not signed by an authority that is trusted here: see LEDGER_TLS_CA.',
      ],
    })
  }
})

it('count as away when they refuse our token, and each says so once', async () => {
  const url = `http://127.0.0.1:${await listening(createHttp(answers))}`
  expect(await checks({ url })).toEqual({ twice: UP, told: [] })
  expect(await checks({ url, token: 'another-token-of-the-test' })).toEqual({
    twice: AWAY,
    told: ['The facilitator refuses FACILITATOR_TOKEN.', 'The ledger refuses INTERNAL_TOKEN.'],
  })
})

it('that are merely away are not our fault', async () => {
  expect(await checks({ url: 'http://127.0.0.1:1' })).toEqual({ twice: AWAY, told: [] })
})
