import { randomUUID } from 'node:crypto'
import { fundWallet } from '@turnpike/local'
import { callsWith, chat, post, quoteAndSign } from '@turnpike/testing'
import { expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`

it.each([400_000, 1_500_000])(
  'a paid request of %i bytes, read in a thread of the gateway, reaches the model whole and is replayed',
  async (bytes) => {
    const wallet = await fundWallet(stack, 20)
    const marker = randomUUID()
    const body = chat(`Say ${marker} ${'the quick brown fox '.repeat(bytes / 20)}`)
    const key = randomUUID()
    const payment = await quoteAndSign(wallet, { url, body, key })
    const paid = await post({ url, body, key, payment })
    const text = await paid.text()
    expect([paid.status, text]).toEqual([200, expect.stringContaining(marker)])
    expect(JSON.parse(text).usage.prompt_tokens).toBeGreaterThan(bytes / 8)
    expect((await callsWith(stack, marker)).map((call) => call.outcome)).toEqual(['ok'])
    const replayed = await post({ url, body, key, payment })
    expect([replayed.status, await replayed.text(), replayed.headers.get('idempotent-replayed')]).toEqual([200, text, 'true'])
  },
)
