import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { findSettlement, type Hex, openFacilitatorClient, readUsdcBalance } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LocalChain, startLocalChain } from './testing/local-chain.ts'
import { openRefusingNode } from './testing/refusing-node.ts'
import { PAY_TO, PRICE, type SignedPayment, signPayment } from './testing/signed-payment.ts'

let chain: LocalChain
let running: Service[] = []

interface Service {
  child: ChildProcess
  output(): string
  internal: string
  client: ReturnType<typeof openFacilitatorClient>
}

beforeAll(async () => {
  chain = await startLocalChain()
})

afterEach(async () => {
  await chain.anvil.setAutomine(true)
  for (const { child, client } of running) {
    await client.close()
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  running = []
})

afterAll(async () => {
  await chain?.stop()
})

async function start(signer: Hex, chainUrl = chain.url): Promise<Service> {
  const [port, internalPort] = [await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    PAY_TO,
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    CHAIN_RPC_URL: chainUrl,
    SIGNER_PRIVATE_KEY: signer,
    STUCK_AFTER_MS: '1000',
  }
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const url = `http://127.0.0.1:${port}`
  const service = {
    child,
    output: () => output,
    internal: `http://127.0.0.1:${internalPort}`,
    client: openFacilitatorClient({ url, timeoutMs: 60_000, settleTimeoutMs: 90_000 }),
  }
  running.push(service)
  await until('readiness', async () => child.exitCode !== null || (await fetch(`${service.internal}/readyz`)).status === 200)
  if (child.exitCode !== null) throw new Error(`it ended: ${output}`)
  return service
}

function onChain({ payer, nonce }: SignedPayment) {
  return findSettlement(chain.rpc, { payer, nonce, payTo: PAY_TO, amountAtomic: PRICE, confirmations: 1, fromBlock: 0n })
}

async function inPool(count: number): Promise<void> {
  await until(`${count} in the pool`, async () => (await chain.anvil.getTxpoolStatus()).pending === count)
}

describe('the service as a process', () => {
  it('serves health, readiness and metrics, and logs neither keys nor signatures', async () => {
    const signer = await chain.newSigner()
    const service = await start(signer)
    const payment = await signPayment(await chain.newPayer(1))
    expect((await service.client.settle(payment)).kind).toBe('settled')
    expect((await fetch(`${service.internal}/healthz`)).status).toBe(200)
    const metrics = await (await fetch(`${service.internal}/metrics`)).text()
    expect(metrics).toMatch(/turnpike_facilitator_settlement_seconds_count\{[^}]*result="settled"[^}]*\} 1/)
    expect(metrics).toMatch(/facilitator_gas_money_eth\{[^}]*\} 99/)
    expect(service.output()).toContain('listening')
    expect(service.output()).not.toContain(signer.slice(2))
    expect(service.output()).not.toContain((payment.payload.payload.signature as string).slice(2, 40))
  })

  it('logs why a node does not take a transaction', async () => {
    const node = await openRefusingNode(chain.url)
    onTestFinished(() => node.close())
    node.refuse = ({ method }) => (method === 'eth_sendRawTransaction' ? 'oversized data: of the test' : undefined)
    const service = await start(await chain.newSigner(), node.url)
    const payment = await signPayment(await chain.newPayer(1))
    expect((await service.client.settle(payment)).kind).toBe('unknown')
    expect(service.output()).toContain('oversized data: of the test')
    expect(service.output()).not.toContain((payment.payload.payload.signature as string).slice(2, 40))
  })

  it('lets a settlement that was begun finish before it ends', async () => {
    const service = await start(await chain.newSigner())
    const payment = await signPayment(await chain.newPayer(1))
    await chain.anvil.setAutomine(false)
    const result = service.client.settle(payment)
    await inPool(1)
    service.child.kill('SIGTERM')
    await until('the end of listening', () => service.output().includes('shutting down'))
    await chain.anvil.mine({ blocks: 1 })
    expect((await result).kind).toBe('settled')
    await until('the exit', () => service.child.exitCode !== null)
    expect(service.child.exitCode).toBe(0)
  })

  it('can be killed in the middle: the transfer happens once, and the next life goes on', async () => {
    const signer = await chain.newSigner()
    const before = await start(signer)
    const [payer, other] = [await chain.newPayer(1), await chain.newPayer(1)]
    const payment = await signPayment(payer)
    await chain.anvil.setAutomine(false)
    const lost = before.client.settle(payment)
    await inPool(1)
    before.child.kill('SIGKILL')
    expect(await lost).toMatchObject({ kind: 'unknown', why: 'connection_lost' })
    const after = await start(signer)
    const retried = after.client.settle(payment)
    const next = after.client.settle(await signPayment(other))
    await chain.anvil.setIntervalMining({ interval: 1 })
    // Whatever the retry is told, the chain has exactly one transfer of it.
    expect((await next).kind).toBe('settled')
    expect(['settled', 'unknown']).toContain((await retried).kind)
    expect((await onChain(payment)).kind).toBe('settled')
    expect(await readUsdcBalance(chain.rpc, payer.address)).toBe(998_000n)
  })

  it('does not start with a wrong configuration, and says what is wrong without the value', async () => {
    const secret = '0x1234notakey'
    const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
      env: { PATH: process.env.PATH, SIGNER_PRIVATE_KEY: secret },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stderr?.on('data', (chunk) => (output += chunk))
    await once(child, 'exit')
    expect(child.exitCode).toBe(1)
    for (const name of ['PORT', 'CHAIN_RPC_URL', 'SIGNER_PRIVATE_KEY']) expect(output).toContain(name)
    expect(output).not.toContain(secret)
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
