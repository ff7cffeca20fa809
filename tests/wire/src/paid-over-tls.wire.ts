import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditStack, freePort, fundWallet, type StackHandle, startStack } from '@turnpike/local'
import { post, quoteAndSign } from '@turnpike/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'

// A whole stack whose parts speak to each other over TLS only, each service under an account with its own rights and no more; its
// hosted files are handed out by the store itself.
let handle: StackHandle
let home: string
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'turnpike-wire-'))
  const env = { TURNPIKE_WIRE: 'tls', MEDIA_AT_REST: 'plain', MEDIA_DELIVERY: 'redirect' }
  handle = await startStack({ home, port: await freePort(), env })
  wallet = await fundWallet(handle.stack, 20)
})
afterAll(async () => {
  await handle?.stop()
  await rm(home, { recursive: true, force: true })
})

async function buy(path: string, body: object): Promise<Record<string, unknown>> {
  const [url, key] = [`${handle.stack.baseUrl}${path}`, randomUUID()]
  const payment = await quoteAndSign(wallet, { url, body, key })
  const response = await post({ url, body, key, payment })
  const text = await response.text()
  expect(response.status, text.slice(0, 300)).toBe(200)
  expect(response.headers.get('x-receipt-id')).not.toBeNull()
  return JSON.parse(text) as Record<string, unknown>
}

/** From the store, where the gateway sends whoever asks. */
async function download(result: Record<string, unknown>): Promise<Buffer> {
  const [{ url } = { url: '' }] = result.data as { url: string }[]
  const response = await fetch(url, { redirect: 'manual' })
  expect(response.status).toBe(302)
  const location = response.headers.get('location') ?? ''
  expect(location.startsWith(handle.stack.s3.endpoint)).toBe(true)
  const ca = readFileSync(handle.stack.guarded?.caFile ?? '')
  return await new Promise((resolve, reject) => {
    get(location, { ca }, (object) => {
      const chunks: Buffer[] = []
      object.on('data', (chunk: Buffer) => chunks.push(chunk))
      object.on('end', () =>
        object.statusCode === 200 ? resolve(Buffer.concat(chunks)) : reject(new Error(String(object.statusCode))),
      )
    }).on('error', reject)
  })
}

const chat = (content: string) => ({ model: 'gm-2.5-flash-lite', messages: [{ role: 'user', content }] })

it('every kind of work is bought, delivered and receipted', async () => {
  expect(handle.stack.guarded).toBeDefined()
  expect(JSON.stringify(await buy('/v1/chat/completions', chat('hello')))).toContain('hello')
  // Too large for an event, so it travels through the store.
  await buy('/v1/chat/completions', chat('word '.repeat(80_000)))
  const image = await download(await buy('/v1/images/generations', { model: 'gm-3.1-flash-lite-image', prompt: 'A fox' }))
  expect(image.toString('latin1', 1, 4)).toBe('PNG')
  const mp3 = await download(await buy('/v1/audio/speech', { model: 'el/flash-v2.5', input: 'Encrypted on every wire.' }))
  const heard = await buy('/v1/audio/transcriptions', { model: 'el/scribe-v2', audio_base64: mp3.toString('base64') })
  expect(String(heard.text).length).toBeGreaterThan(0)
})

it('the audit, under its own account and token, finds every payment in order', async () => {
  const { status, stdout, stderr } = await auditStack(home)
  expect(stderr).toBe('')
  expect(stdout).toContain('5 transfers, 5 receipts, 5 results checked, 0 differences')
  expect(status).toBe(0)
})

it('nobody was refused a right that its work needs', () => {
  const logs = readdirSync(join(home, 'logs')).filter((file) => file.endsWith('.log'))
  expect(logs.length).toBeGreaterThan(8)
  for (const file of logs) {
    expect(readFileSync(join(home, 'logs', file), 'utf8'), file).not.toMatch(
      /NOPERM|AUTHORIZATION_FAILED|not authorized|AccessDenied/i,
    )
  }
})
