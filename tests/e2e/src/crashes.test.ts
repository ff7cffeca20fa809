import { randomUUID } from 'node:crypto'
import { fundWallet } from '@turnpike/local'
import {
  callsWith,
  chat,
  clearFaults,
  type Fault,
  HELD_MS,
  post,
  quoteAndSign,
  setFaults,
  transfersToSeller,
  until,
} from '@turnpike/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { awaitReturn, gatewaysReady, killAndAwaitReturn, processesOf, stackNow } from './stack-under-test.ts'

const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`
let wallet: Awaited<ReturnType<typeof fundWallet>>

beforeEach(async () => {
  await gatewaysReady()
  wallet = await fundWallet(stack, 1)
})
afterEach(() => clearFaults(stack))

type Signed = { url: string; body: unknown; key: string; payment: string; marker: string }

async function signedFor(call: { url: string; body: unknown; marker: string }): Promise<Signed> {
  const key = randomUUID()
  return { ...call, key, payment: await quoteAndSign(wallet, { ...call, key }) }
}

function signed(): Promise<Signed> {
  const marker = randomUUID()
  return signedFor({ url, body: chat(`Crash ${marker}`), marker })
}

/** The same request again until it is answered for good, as a client with retries would send it. */
async function collect({ url, body, key, payment }: Signed): Promise<Response> {
  return until(
    'a final answer',
    async () => {
      const response = await post({ url, body, key, payment }).catch(() => undefined)
      if (response === undefined || response.headers.get('x-should-retry') === 'true') {
        await response?.body?.cancel()
        return undefined
      }
      return response
    },
    60_000,
  )
}

describe('the end of a process in the middle of a paid request, by kill -9 unless it says otherwise,', () => {
  for (const service of ['gateway', 'text-worker', 'ledger', 'facilitator']) {
    it(`of the ${service} while the provider works: the same request again gets the result, for one transfer`, async () => {
      const request = await signed()
      await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: request.marker } }])
      const first = post({ ...request }).catch(() => undefined)
      await until('the provider is called', async () => (await callsWith(stack, request.marker)).length === 1)
      await killAndAwaitReturn(service)
      await clearFaults(stack)
      await first
      const answer = await collect(request)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain(request.marker)
      expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
      expect((await callsWith(stack, request.marker)).length).toBeLessThanOrEqual(service === 'text-worker' ? 2 : 1)
    })
  }

  const MEDIA: [string, Fault['upstream'], string, (marker: string) => Record<string, unknown>, string[]][] = [
    [
      'image',
      'gemini',
      '/v1/images/generations',
      (marker) => ({ model: 'gm-3.1-flash-lite-image', prompt: `Crash ${marker}` }),
      ['89504e47'],
    ],
    [
      'speech',
      'elevenlabs',
      '/v1/audio/speech',
      (marker) => ({ model: 'el/flash-v2.5', input: `Crash ${marker}` }),
      ['494433', 'fffb'],
    ],
  ]
  for (const [work, upstream, path, bodyWith, starts] of MEDIA) {
    for (const deed of ['SIGKILL', 'SIGTERM'] as const) {
      it(`(${deed}) of the media-worker while the provider works on ${work}: the same request again gets its file, for one transfer`, async () => {
        const marker = randomUUID()
        const request = await signedFor({ url: `${stack.baseUrl}${path}`, body: bodyWith(marker), marker })
        await setFaults(stack, [{ upstream, kind: 'latency', ms: HELD_MS, match: { bodyIncludes: marker } }])
        const first = post({ ...request }).catch(() => undefined)
        await until('the provider is called', async () => (await callsWith(stack, marker)).length === 1)
        const before = processesOf('media-worker')
        for (const { pid } of before) process.kill(pid, deed)
        await clearFaults(stack)
        await awaitReturn('media-worker', before)
        await first
        const answer = await collect(request)
        expect(answer.status).toBe(200)
        const { data } = (await answer.json()) as { data: { url: string }[] }
        const file = Buffer.from(await (await fetch(data[0]?.url ?? '')).arrayBuffer())
        expect(starts.some((start) => file.toString('hex').startsWith(start))).toBe(true)
        expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
        expect((await callsWith(stack, marker)).length).toBeLessThanOrEqual(deed === 'SIGKILL' ? 2 : 1)
      })
    }
  }

  for (const service of ['gateway', 'ledger', 'facilitator']) {
    it(`of the ${service} while the settlement is on its way: the same request again gets the result, for one transfer`, async () => {
      const request = await signed()
      const settling = processesOf('facilitator')
      await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: request.marker } }])
      const first = post({ ...request }).catch(() => undefined)
      await until('the provider is called', async () => (await callsWith(stack, request.marker)).length === 1)
      // A stopped facilitator holds the settlement where it is.
      for (const { pid } of settling) process.kill(pid, 'SIGSTOP')
      await clearFaults(stack)
      await until(
        'the provider has answered',
        async () => (await callsWith(stack, request.marker))[0]?.outcome === 'fault:latency',
      )
      const before = processesOf(service)
      for (const { pid } of before) process.kill(pid, 'SIGKILL')
      if (service !== 'facilitator') for (const { pid } of settling) process.kill(pid, 'SIGCONT')
      await awaitReturn(service, before)
      await first
      const answer = await collect(request)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toContain(request.marker)
      expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
      expect(await callsWith(stack, request.marker)).toHaveLength(1)
    })
  }
})

describe('release', () => {
  it('waits for the commit: with the ledger stopped nobody sees a 200', async () => {
    const request = await signed()
    await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: request.marker } }])
    let answered = false
    const first = post({ ...request }).then((response) => {
      answered = true
      return response
    })
    await until('the provider is called', async () => (await callsWith(stack, request.marker)).length === 1)
    const ledgers = processesOf('ledger')
    for (const { pid } of ledgers) process.kill(pid, 'SIGSTOP')
    try {
      await clearFaults(stack)
      await until(
        'the provider has answered',
        async () => (await callsWith(stack, request.marker))[0]?.outcome === 'fault:latency',
      )
      await until('the gateway has asked the ledger in vain', async () => {
        const ready = await fetch(`${stack.baseUrl}/readyz`)
        return ((await ready.json()) as { dependencies: { ledger: string } }).dependencies.ledger === 'down'
      })
      expect(answered).toBe(false)
      expect(await transfersToSeller(stack, wallet.address)).toHaveLength(0)
    } finally {
      for (const { pid } of ledgers) process.kill(pid, 'SIGCONT')
    }
    const response = await first
    const final = response.status === 200 ? response : await collect(request)
    expect(final.status).toBe(200)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
  })

  it('goes on without its client: a caller that hung up collects the result later', async () => {
    const request = await signed()
    await setFaults(stack, [{ upstream: 'gemini', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: request.marker } }])
    const hangUp = new AbortController()
    const first = post({ ...request, signal: hangUp.signal }).catch(() => undefined)
    await until('the provider is called', async () => (await callsWith(stack, request.marker)).length === 1)
    hangUp.abort()
    await first
    await clearFaults(stack)
    const answer = await collect(request)
    expect(answer.status).toBe(200)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
    expect(await callsWith(stack, request.marker)).toHaveLength(1)
  })
})

describe('a provider that fails', () => {
  it('for sure: 503, not charged, and the same signature under the same key works later', async () => {
    const request = await signed()
    await setFaults(stack, [{ upstream: 'gemini', kind: 'status-500', match: { bodyIncludes: request.marker } }])
    const failed = await post({ ...request })
    expect(failed.status).toBe(503)
    expect(failed.headers.get('x-should-retry')).toBe('true')
    expect(await failed.json()).toMatchObject({ error: { code: 'provider_unavailable', charged: 'no', retryable: true } })
    await clearFaults(stack)
    const answer = await collect(request)
    expect(answer.status).toBe(200)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
  })

  it('without anybody knowing whether it ran: 503 for ever under this key, and nothing is settled', async () => {
    const request = await signed()
    await setFaults(stack, [{ upstream: 'gemini', kind: 'reset-before-response', match: { bodyIncludes: request.marker } }])
    for (let attempt = 0; attempt < 2; attempt++) {
      const failed = await post({ ...request })
      expect(failed.status).toBe(503)
      expect(failed.headers.get('x-should-retry')).toBe('false')
      expect(await failed.json()).toMatchObject({ error: { code: 'provider_outcome_unknown', charged: 'no', retryable: false } })
      await clearFaults(stack)
    }
    expect(await callsWith(stack, request.marker)).toHaveLength(1)
    expect(await transfersToSeller(stack, wallet.address)).toHaveLength(0)
  })
})
