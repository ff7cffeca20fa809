import { copyFileSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { locateAnvil } from '../software/npm-programs.ts'
import { chainId, connectChain, usdcAddress } from './chain-client.ts'
import { deployUsdc, hasUsdc } from './deploy-usdc.ts'
import type { Part, Site } from './part.ts'

export interface ChainAddress {
  readonly rpcUrl: string
  readonly chainId: number
  readonly usdc: `0x${string}`
}

/** Without a block time every transaction is mined at once. In a container it listens on every address. */
export function chainPart(options: {
  readonly blockTimeSeconds?: number | undefined
  readonly listenOn?: string
}): Part<string, ChainAddress> {
  return {
    name: 'chain',
    needsSidePort: false,
    readyTimeoutMs: 30_000,
    obtain: async () => locateAnvil(),
    prepare: async (_program, site) => {
      await mkdir(site.dir, { recursive: true })
      restoreState(site)
    },
    command: (program, site) => ({
      program,
      args: [
        ...['--host', options.listenOn ?? '127.0.0.1', '--port', String(site.port), '--chain-id', String(chainId), '--quiet'],
        // No account with a key that everybody knows: a signature made here is valid on Base.
        ...['--accounts', '0', '--state', stateFile(site), '--state-interval', '1'],
      ],
      env: { PATH: process.env.PATH, HOME: site.dir },
      stopSignal: 'SIGTERM',
    }),
    answers: async (site) => (await connectChain(rpcUrlOf(site)).getChainId()) === chainId,
    fill: async (site) => {
      const client = connectChain(rpcUrlOf(site))
      if (!(await hasUsdc(client))) await deployUsdc(client)
      if (options.blockTimeSeconds !== undefined) await client.setIntervalMining({ interval: options.blockTimeSeconds })
    },
    address: (site) => ({ rpcUrl: rpcUrlOf(site), chainId, usdc: usdcAddress }),
  }
}

/**
 * The chain rewrites its state file in place every second, so a kill in the middle of a write leaves half a file. A copy of the last whole
 * one is kept beside it; call this now and then while the chain runs
 */
export function keepWholeState(site: Site): void {
  const file = stateFile(site)
  if (!existsSync(file)) return
  const draft = `${wholeFile(site)}.draft`
  copyFileSync(file, draft)
  // What was written to while it was copied is not kept.
  if (isWhole(draft)) renameSync(draft, wholeFile(site))
}

export function restoreState(site: Site): void {
  if (existsSync(stateFile(site)) && !isWhole(stateFile(site)) && existsSync(wholeFile(site))) {
    copyFileSync(wholeFile(site), stateFile(site))
  }
}

function isWhole(file: string): boolean {
  if (statSync(file).size === 0) return false
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return true
  } catch {
    return false
  }
}

function stateFile(site: Site): string {
  return join(site.dir, 'state.json')
}

function wholeFile(site: Site): string {
  return join(site.dir, 'state.whole.json')
}

function rpcUrlOf(site: Site): string {
  return `http://127.0.0.1:${site.port}`
}
