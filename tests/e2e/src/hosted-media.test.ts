import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fundWallet, partFolder } from '@turnpike/local'
import { mintMediaCapability, OBJECT_ID_BYTES, openKeyring, readMediaCapability } from '@turnpike/sealing'
import { post, quoteAndSign, transfersToSeller, until } from '@turnpike/testing'
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { gatewaysReady, logsOf, pidOfPart, processesOf, stackNow } from './stack-under-test.ts'

const stack = stackNow()
const home = inject('stackHome')
const images = `${stack.baseUrl}/v1/images/generations`
const speech = `${stack.baseUrl}/v1/audio/speech`
const capabilityKeys = openKeyring(
  (JSON.parse(readFileSync(join(home, 'identity.json'), 'utf8')) as { mediaCapabilityKeys: string }).mediaCapabilityKeys,
)
let wallet: Awaited<ReturnType<typeof fundWallet>>
beforeAll(async () => {
  wallet = await fundWallet(stack, 20)
})
beforeEach(gatewaysReady)

const imageOf = (prompt: string) => ({ model: 'gm-3.1-flash-lite-image', prompt })
const speechOf = (input: string) => ({ model: 'el/flash-v2.5', input })
const capabilityOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const bodyOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

async function pay(url: string, body: object) {
  const key = randomUUID()
  const payment = await quoteAndSign(wallet, { url, body, key })
  const response = await post({ url, body, key, payment })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const { data } = JSON.parse(text) as { data: { url: string }[] }
  return { key, payment, text, mediaUrl: data[0]?.url ?? '' }
}

describe('a hosted file', () => {
  it('is served by every gateway, whole and in the parts that players ask for', async () => {
    const { mediaUrl } = await pay(speech, speechOf(`A sentence to seek in. ${randomUUID()} `.repeat(30)))
    const whole = await bodyOf(await fetch(mediaUrl))
    for (const gateway of stack.gateways) {
      const url = `${gateway}/v1/media/${capabilityOf(mediaUrl)}`
      const response = await fetch(url)
      expect(response.headers.get('content-type')).toBe('audio/mpeg')
      expect(response.headers.get('content-disposition')).toMatch(/^inline; filename="speech-.*\.mp3"$/)
      expect(Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1])).toBeLessThanOrEqual(24 * 3_600)
      expect(digest(await bodyOf(response))).toBe(digest(whole))
      for (const [range, first, last] of [
        ['bytes=0-', 0, whole.length - 1],
        ['bytes=0-1', 0, 1],
        ['bytes=65530-65545', 65_530, 65_545],
        ['bytes=-128', whole.length - 128, whole.length - 1],
      ] as const) {
        const part = await fetch(url, { headers: { range } })
        expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${first}-${last}/${whole.length}`])
        expect((await bodyOf(part)).equals(whole.subarray(first, last + 1))).toBe(true)
      }
      expect((await fetch(url, { headers: { range: `bytes=${whole.length}-` } })).status).toBe(416)
      const head = await fetch(url, { method: 'HEAD' })
      expect(head.headers.get('content-length')).toBe(String(whole.length))
      const known = await fetch(url, { headers: { 'if-none-match': head.headers.get('etag') ?? '' } })
      expect(known.status).toBe(304)
    }
  })

  it('takes GET and HEAD, from pages of every origin', async () => {
    const { mediaUrl } = await pay(speech, speechOf(`Hello ${randomUUID()}`))
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await fetch(mediaUrl, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    const preflight = await fetch(mediaUrl, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range,if-none-match',
      },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toContain('range')
    const response = await fetch(mediaUrl, { headers: { origin: 'https://page.test', range: 'bytes=0-9' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('Content-Range')
  })

  it('is sealed where it lies', async () => {
    const { mediaUrl } = await pay(images, imageOf(`A fox ${randomUUID()}`))
    const png = await bodyOf(await fetch(mediaUrl))
    const stored = mediaFiles().map((file) => readFileSync(file))
    expect(stored.length).toBeGreaterThan(0)
    for (const bytes of stored) expect(bytes.includes(png.subarray(1_000, 1_032))).toBe(false)
  })

  it('is named in its response, and the replay names it still when it is gone', async () => {
    const prompt = `A boat ${randomUUID()}`
    const { key, payment, text, mediaUrl } = await pay(images, imageOf(prompt))
    const claim = readMediaCapability(capabilityKeys, capabilityOf(mediaUrl))
    expect(new Date(claim?.expiresAtMs ?? 0).toISOString()).toBe(
      (JSON.parse(text) as { data: { url_expires_at: string }[] }).data[0]?.url_expires_at,
    )
    const file = mediaFiles().filter((path) => path.includes(claim?.objectId.toString('hex') ?? 'none'))
    expect(file).toHaveLength(1)
    rmSync(file[0] ?? '')
    await until('the file is gone', async () => (await fetch(mediaUrl)).status === 404)
    const again = await post({ url: images, body: imageOf(prompt), key, payment })
    expect([again.status, again.headers.get('idempotent-replayed'), await again.text()]).toEqual([200, 'true', text])
  })
})

describe('an address', () => {
  const minted = (expiresAtMs: number) =>
    mintMediaCapability(capabilityKeys, {
      objectId: Buffer.concat([Buffer.alloc(4), randomBytes(OBJECT_ID_BYTES - 4)]),
      expiresAtMs,
    })
  const ask = async (capability: string) => {
    const response = await fetch(`${stack.baseUrl}/v1/media/${capability}`)
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
  }

  it('of a file past its expiry is 410 for ever; one that is altered never is', async () => {
    for (const agoMs of [0, 1_000, 20 * 365 * 24 * 3_600_000]) {
      const capability = minted(Date.now() - agoMs)
      expect(await ask(capability)).toEqual([410, 'media_expired'])
      expect(await ask(`${capability.slice(0, -2)}AA`)).toEqual([404, 'media_not_found'])
      expect(await ask(`B${capability.slice(1)}`)).toEqual([404, 'media_not_found'])
    }
    const foreign = openKeyring(`${capabilityKeys.activeId}:${randomBytes(32).toString('base64')}`)
    expect(await ask(mintMediaCapability(foreign, { objectId: randomBytes(OBJECT_ID_BYTES), expiresAtMs: 1 }))).toEqual([
      404,
      'media_not_found',
    ])
  })

  it('of a file that was never there is 404', async () => {
    expect(await ask(minted(Date.now() + 3_600_000))).toEqual([404, 'media_not_found'])
  })
})

describe('the media endpoints', () => {
  it('tell their voices', async () => {
    const voices = (await (await fetch(`${stack.baseUrl}/v1/audio/voices`)).json()) as { defaults: object; data: object[] }
    expect([voices.defaults, voices.data.length]).toEqual([{ 'el/flash-v2.5': 'darian' }, 20])
  })

  it.each([
    [images, '0.035', { ...imageOf('x'), quality: 'hd' }, 'quality'],
    [speech, '0.002', { ...speechOf('x'), speed: 0.7005 }, 'speed'],
  ])('%s checks in the stated order', async (url, minimum, defective, param) => {
    const send = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
      fetch(url, { method: 'POST', headers: { 'x-idempotency-key': randomUUID(), ...headers }, body })
    const inspected = await send('{"model":')
    expect([inspected.status, inspected.headers.get('x-service-challenge-kind')]).toEqual([402, 'inspection'])
    expect(await inspected.json()).toMatchObject({ price: { amount: minimum, type: 'inspection' } })
    expect((await send('x'.repeat(70_000), { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(JSON.stringify({ text: 'x'.repeat(65_536) }))).status).toBe(413)
    const refused = await send(JSON.stringify(defective))
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({ error: { param, charged: 'no' } })
  })

  it('take the deprecated size for the same request, and another size under the same key for another', async () => {
    const key = randomUUID()
    const prompt = `Same ${key}`
    const ask = async (more: object) => (await post({ url: images, body: { ...imageOf(prompt), ...more }, key })).status
    expect(await ask({})).toBe(402)
    expect(await ask({ size: '1024x1024' })).toBe(402)
    expect(await ask({ image_size: '1K', n: 1 })).toBe(402)
    expect(await ask({ response_format: 'b64_json' })).toBe(409)
    expect(await ask({ size: '1024x1024', image_size: '2K' })).toBe(400)
  })

  it('ask nobody to sign while the store is away, and are open again when it is back', async () => {
    const body = imageOf(`Nobody pays ${randomUUID()}`)
    const key = randomUUID()
    const payment = await quoteAndSign(wallet, { url: images, body, key })
    const { mediaUrl } = await pay(speech, speechOf(`Before ${randomUUID()}`))
    const before = await transfersToSeller(stack, wallet.address)
    const store = pidOfPart('s3')
    process.kill(store, 'SIGSTOP')
    try {
      await until('every gateway has noticed', async () => {
        const ready = await Promise.all(stack.gateways.map(async (base) => (await fetch(`${base}/readyz`)).ok))
        return ready.every((isReady) => !isReady)
      })
      for (const [url, request] of [
        [images, { body, key, payment }],
        [images, { body: imageOf('x'), key: randomUUID() }],
        [speech, { body: speechOf('x'), key: randomUUID() }],
      ] as const) {
        const response = await post({ url, ...request })
        expect(response.status).toBe(503)
        expect(await response.json()).toMatchObject({ error: { code: 'dependency_unavailable', charged: 'no' } })
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      expect((await fetch(mediaUrl)).status).toBe(503)
    } finally {
      process.kill(store, 'SIGCONT')
    }
    await gatewaysReady()
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(before.length)
    expect((await fetch(mediaUrl)).status).toBe(200)
    expect((await post({ url: images, body, key, payment })).status).toBe(200)
  })
})

it('The secret in the address of a file stands in no log', async () => {
  const { mediaUrl } = await pay(speech, speechOf(`Quiet ${randomUUID()}`))
  const secret = capabilityOf(mediaUrl)
  await fetch(mediaUrl)
  await fetch(`${mediaUrl}x`)
  await fetch(mediaUrl, { headers: { range: 'bytes=99999999-' } })
  for (const service of ['gateway', 'media-worker', 'ledger']) expect(logsOf(service), service).not.toContain(secret)
  for (const { internalUrl } of processesOf('gateway'))
    expect(await (await fetch(`${internalUrl}/metrics`)).text()).not.toContain(secret)
})

function mediaFiles(): string[] {
  return readdirSync(partFolder(home, 's3'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.parentPath.includes('/media/'))
    .map((entry) => join(entry.parentPath, entry.name))
}
