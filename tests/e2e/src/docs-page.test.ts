import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fundWallet, obtainChromium } from '@turnpike/local'
import axeCore from 'axe-core'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaidInPage } from './pay-in-page.ts'
import { runSnippet } from './run-snippet.ts'
import { stackNow } from './stack-under-test.ts'

const stack = stackNow()
let browser: Browser

beforeAll(async () => {
  const executablePath = await obtainChromium({ say: console.log, signal: AbortSignal.timeout(400_000) })
  // As root, Chromium has no sandbox to start in.
  browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
}, 420_000)
afterAll(() => browser?.close())

type Opened = { page: Page; complaints: string[]; foreign: string[] }

async function open(path: string, options: { width: number; scheme: 'light' | 'dark' }): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: options.width, height: 800 }, colorScheme: options.scheme })
  const page = await context.newPage()
  const [complaints, foreign]: [string[], string[]] = [[], []]
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(stack.baseUrl) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  await page.goto(`${stack.baseUrl}${path}`)
  return { page, complaints, foreign }
}

/** What axe finds that keeps people out. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axeCore.source)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof axeCore }
    const { violations } = await axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
  })
}

const WAYS = [
  { width: 1280, scheme: 'light' },
  { width: 375, scheme: 'dark' },
] as const

describe('the guide in a browser', () => {
  it.each(WAYS)('reads well at $width px in $scheme: no error, nothing from elsewhere, no barrier', async (way) => {
    const { page, complaints, foreign } = await open('/docs', way)
    await page.locator('#calculator').scrollIntoViewIfNeeded()
    await page.waitForSelector('#price .amount')
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(way.width)
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
    await page.context().close()
  })

  it('prices what is typed, as the challenge would', async () => {
    const { page } = await open('/docs', WAYS[0])
    const form = page.locator('#calculator')
    await form.locator('[name=model]').selectOption('gm-2.5-pro')
    await form.locator('[name=max_tokens]').fill('10000')
    await form.getByText('0.10').first().waitFor()
    const what = await form.locator('output tr > :first-child').allTextContents()
    expect(what).toEqual(['estimated input', 'ceiling of the answer'])
    await form.locator('[name=endpoint]').selectOption('Image')
    await form.getByText('0.035').first().waitFor()
    await form.locator('[name=endpoint]').selectOption('Speech')
    await form.locator('[name=text]').fill('')
    await form.locator('.refused').waitFor()
    expect(await form.locator('.refused').textContent()).toContain('input')
    await page.context().close()
  })

  it('is usable by keyboard alone', async () => {
    const { page } = await open('/docs', WAYS[0])
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await page.getByRole('tab', { name: 'TypeScript' }).focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.getByRole('tabpanel').locator('code[data-snippet]').getAttribute('data-snippet')).toBe('python')
    await page.context().close()
  })

  it('has code to paste that works', async () => {
    const wallet = await fundWallet(stack, 1)
    const { page } = await open('/docs', WAYS[0])
    const codeOf = async (id: string) => (await page.locator(`code[data-snippet="${id}"]`).textContent()) ?? ''
    const env = { PRIVATE_KEY: wallet.privateKey }
    const runs = ['curl', 'typescript', 'openai', 'anthropic'].map(async (id) => [
      id,
      await runSnippet(id, await codeOf(id), env),
    ])
    const said = Object.fromEntries(await Promise.all(runs)) as Record<string, string>
    expect(said.curl).toMatch(/402 Payment Required[\s\S]*"object":"quote"/)
    for (const id of ['typescript', 'openai', 'anthropic']) expect(said[id], id).toMatch(/\nreceipt [0-9a-f-]{36}/)

    const [, id, token] = /\nreceipt (\S+) (\S+)/.exec(said.typescript ?? '') ?? []
    const textOf = async (path: string, headers = {}) => (await fetch(`${stack.baseUrl}${path}`, { headers })).text()
    const receipt = await textOf(`/v1/receipts/${id}`, { authorization: `Bearer ${token}` })
    const jwks = await textOf('/.well-known/jwks.json')
    const check = async (text: string) =>
      (await runSnippet('receipt', await codeOf('receipt'), {}, { 'receipt.json': text, 'jwks.json': jwks })).trim()
    expect(await check(receipt)).toBe('signed by the issuer')
    expect(await check(receipt.replace('"gm-2.5-flash"', '"gm-2.5-pro"'))).toBe('NOT GENUINE')
    await page.context().close()
  })
})

describe('the reference in a browser', () => {
  it.each(WAYS)('shows every operation at $width px in $scheme: nothing from elsewhere, no barrier', async (way) => {
    const { page, complaints, foreign } = await open('/docs/reference#/Text/createMessage', way)
    await page.locator('#operations-Text-createMessage.is-open').waitFor()
    expect(await page.locator('.opblock').count()).toBeGreaterThan(14)
    // One with an answer that is no JSON, beside the one that the address opens.
    await page.locator('#operations-Media-getMedia .opblock-summary-control').click()
    await page.locator('#operations-Media-getMedia.is-open').waitFor()
    expect(await page.evaluate('location.hash')).toBe('#/Media/getMedia')
    expect(await barriers(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(way.width)
    expect({ complaints, foreign }).toEqual({ complaints: [], foreign: [] })
    await page.context().close()
  })
})

describe('a page of another origin', () => {
  let server: Server
  beforeAll(async () => {
    const bundle = await build({
      entryPoints: [join(import.meta.dirname, 'pay-in-page.ts')],
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
    })
    const script = bundle.outputFiles[0]?.text ?? ''
    server = createServer((request, response) => {
      response.setHeader('content-type', request.url === '/pay.js' ? 'text/javascript' : 'text/html')
      response.end(request.url === '/pay.js' ? script : '<!doctype html><title>Elsewhere</title><script src="/pay.js"></script>')
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterAll(() => new Promise((closed) => server.close(closed)))

  it('pays with the official client and reads what the payment brought', async () => {
    const wallet = await fundWallet(stack, 1)
    const page = await browser.newPage()
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
    const paid = await page.evaluate(
      ([baseUrl, key]) =>
        (globalThis as unknown as { payInPage(baseUrl: string, key: string): Promise<PaidInPage> }).payInPage(baseUrl, key),
      [stack.baseUrl, wallet.privateKey] as const,
    )
    expect(paid.status).toBe(200)
    expect(paid.text).not.toBe('')
    expect(paid.challenge).toBeTruthy()
    for (const [name, value] of Object.entries(paid.headers)) expect(value, name).toBeTruthy()
    await page.close()
  })
})
