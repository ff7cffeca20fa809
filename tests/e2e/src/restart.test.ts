import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, fundWallet, type StackHandle, startStack } from '@turnpike/local'
import { chat, post, quoteAndSign, transfersToSeller } from '@turnpike/testing'
import { afterAll, expect, it } from 'vitest'

const home = mkdtempSync(join(tmpdir(), 'turnpike-restart-'))
let running: StackHandle | undefined
afterAll(async () => {
  await running?.stop()
  rmSync(home, { recursive: true, force: true })
})

it('a stack that was stopped comes back on its port with its receipts, its paid results and its chain', async () => {
  const port = await freePort()
  const first = await startStack({ home, port, env: { GEMINI_API_KEY: undefined, ELEVENLABS_API_KEY: undefined } })
  running = first
  const { stack } = first
  const wallet = await fundWallet(stack, 1)
  const call = { url: `${stack.baseUrl}/v1/chat/completions`, body: chat(`Remember ${randomUUID()}`), key: randomUUID() }
  const payment = await quoteAndSign(wallet, call)
  const paid = await post({ ...call, payment })
  expect(paid.status).toBe(200)
  const body = await paid.text()
  expect(await first.stop()).toBe(0)

  const second = await startStack({ home, port, env: { GEMINI_API_KEY: undefined, ELEVENLABS_API_KEY: undefined } })
  running = second
  expect(second.stack.baseUrl).toBe(stack.baseUrl)
  const replayed = await post({ ...call, payment })
  expect(replayed.status).toBe(200)
  expect(await replayed.text()).toBe(body)
  for (const name of ['x-receipt-id', 'x-receipt-token', 'payment-response']) {
    expect(replayed.headers.get(name), name).toBe(paid.headers.get(name))
  }
  const receipt = await fetch(`${stack.baseUrl}/v1/receipts/${paid.headers.get('x-receipt-id')}`, {
    headers: { authorization: `Bearer ${paid.headers.get('x-receipt-token')}` },
  })
  expect(receipt.status).toBe(200)
  expect(await transfersToSeller(second.stack, wallet.address)).toHaveLength(1)
})
