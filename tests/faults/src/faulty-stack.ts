import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StackHandle } from '@turnpike/local'
import { connectChain, freePort, fundWallet, startPart, startStack, type Wallet } from '@turnpike/local'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type FacilitatorProcess, keepFacilitator } from './facilitator-process.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'

/**
 * A whole stack whose facilitator and chain stand behind proxies of ours, so that they can lie; everything else of it is the stack that
 * npm start brings up.
 */
export type FaultyStack = {
  home: string
  handle: StackHandle
  payTo: string
  /** The facilitator's account. */
  signer: string
  facilitator: FacilitatorProcess
  facilitatorProxy: FaultProxy
  nodeProxy: FaultProxy
  chain: LocalNode
  fund(count: number, usdc: number): Promise<Wallet[]>
  stop(options: { keepHome: boolean }): Promise<void>
}

/** The chain's node; stopped and started again it is the same chain on the same port. */
export type LocalNode = { rpcUrl: string; pid(): number; stop(): Promise<void>; start(): Promise<void> }

export const REPLICAS = 'gateway=2,ledger=2,text-worker=2,media-worker=2,transcription-worker=2'

export async function startFaultyStack(): Promise<FaultyStack> {
  const home = mkdtempSync(join(tmpdir(), 'turnpike-faults-'))
  mkdirSync(join(home, 'logs'), { recursive: true })
  const toStop: (() => Promise<unknown>)[] = []
  const stopAll = async () => {
    for (const stop of toStop.toReversed()) await stop()
  }
  try {
    const chain = await startNode(join(home, 'chain'))
    toStop.push(chain.stop)
    const nodeProxy = await openFaultProxy(chain.rpcUrl)
    toStop.push(nodeProxy.close)
    const payTo = privateKeyToAddress(generatePrivateKey())
    const signerPrivateKey = generatePrivateKey()
    const signer = privateKeyToAddress(signerPrivateKey)
    await connectChain(chain.rpcUrl).setBalance({ address: signer, value: 10n ** 21n })
    const logFile = join(home, 'logs', 'facilitator-0.log')
    const facilitator = await keepFacilitator({ rpcUrl: nodeProxy.url, signerPrivateKey, payTo, logFile })
    toStop.push(facilitator.stop)
    const facilitatorProxy = await openFaultProxy(facilitator.url)
    toStop.push(facilitatorProxy.close)
    const handle = await startStack({
      home,
      port: await freePort(),
      replicas: REPLICAS,
      env: {
        GEMINI_API_KEY: undefined,
        ELEVENLABS_API_KEY: undefined,
        CHAIN_RPC_URL: nodeProxy.url,
        PAY_TO: payTo,
        FACILITATOR_URL: facilitatorProxy.url,
        // Short waits, so that a run sees what follows them: the rules are the same.
        TURNPIKE_PROVIDER_TIMEOUT_MS: '20000',
        SETTLE_TIMEOUT_MS: '4000',
        PAYMENT_LEASE_MS: '3000',
        OVERDUE_GRACE_MS: '3000',
        CONFIRM_WAIT_MS: '2000',
      },
    })
    toStop.push(() => handle.stop())
    return {
      ...{ home, handle, payTo, signer, facilitator, facilitatorProxy, nodeProxy, chain },
      fund: (count, usdc) => Promise.all(Array.from({ length: count }, () => fundWallet({ chain }, usdc))),
      async stop({ keepHome }) {
        await stopAll()
        if (!keepHome) rmSync(home, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

async function startNode(dir: string): Promise<LocalNode> {
  let running = await startPart('chain', { dir })
  const { rpcUrl, port } = running
  return {
    rpcUrl,
    pid: () => running.pid,
    stop: () => running.stop(),
    async start() {
      running = await startPart('chain', { dir, port })
    },
  }
}
