import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fundWallet } from '@turnpike/local'
import { chat, post, quoteAndSign } from '@turnpike/testing'
import { expect, inject, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

it('no prompt, answer, key, signature or token reaches a log, an event or the database in the clear', async () => {
  const stack = stackNow()
  const url = `${stack.baseUrl}/v1/chat/completions`
  const wallet = await fundWallet(stack, 1)
  const prompt = `secret prompt ${randomUUID()}`
  const key = randomUUID()
  const body = chat(prompt)
  const payment = await quoteAndSign(wallet, { url, body, key })
  const paid = await post({ url, body, key, payment })
  expect(paid.status).toBe(200)
  const token = paid.headers.get('x-receipt-token') ?? ''
  await fetch(`${stack.baseUrl}/v1/receipts/${paid.headers.get('x-receipt-id')}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await post({ url, body: chat('changed'), key, payment })
  const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: { signature: string } }
  const secrets = { prompt, key, token, payment, signature: payload.signature }

  const logs = join(inject('stackHome'), 'logs')
  const services = /^(gateway|ledger|text-worker|facilitator)-/
  const files = readdirSync(logs).filter((name) => services.test(name))
  expect(files.length).toBeGreaterThanOrEqual(5)
  const requestId = paid.headers.get('x-request-id') ?? 'none'
  expect(files.some((name) => readFileSync(join(logs, name), 'utf8').includes(requestId))).toBe(true)
  for (const name of files) {
    const text = readFileSync(join(logs, name), 'utf8').toLowerCase()
    for (const [what, secret] of Object.entries(secrets))
      expect(text.includes(secret.toLowerCase()), `${what} in ${name}`).toBe(false)
  }

  // Where Kafka, Redis and Postgres keep their bytes. A settled signature is public calldata, so it is not looked for here.
  for (const part of ['kafka', 'redis', 'postgres']) {
    const found = filesUnder(join(inject('stackHome'), 'data', part)).filter((file) => {
      const bytes = readFileSync(file)
      return bytes.includes(prompt) || bytes.includes(key) || bytes.includes(token)
    })
    expect(found, part).toEqual([])
  }
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
