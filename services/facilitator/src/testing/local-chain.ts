import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectChain, fundWallet, startPart } from '@turnpike/local'
import { type ChainRpc, type Hex, openChainRpc } from '@turnpike/payments'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** A real chain with the real token, for one test file. */
export interface LocalChain {
  url: string
  anvil: ReturnType<typeof connectChain>
  rpc: ChainRpc
  newPayer(usdc: number): Promise<PrivateKeyAccount>
  /** A fresh key that can pay for gas. */
  newSigner(): Promise<Hex>
  /** Sends from an account of its own, as a front-runner would, and does not wait. */
  sendAsStranger(to: Hex, data: Hex): Promise<Hex>
  stop(): Promise<void>
}

export async function startLocalChain(): Promise<LocalChain> {
  const dir = await mkdtemp(join(tmpdir(), 'facilitator-chain-'))
  const chain = await startPart('chain', { dir })
  const anvil = connectChain(chain.rpcUrl)
  const newSigner = async () => {
    const key = generatePrivateKey()
    await anvil.setBalance({ address: privateKeyToAccount(key).address, value: 10n ** 21n })
    return key
  }
  // The token's issuer is one account: its mints must not race for a nonce.
  let minted: Promise<unknown> = Promise.resolve()
  const newPayer = async (usdc: number) => {
    const wallet = minted.then(() => fundWallet({ chain }, usdc))
    minted = wallet.catch(() => undefined)
    return privateKeyToAccount((await wallet).privateKey)
  }
  const stranger = privateKeyToAccount(await newSigner())
  return {
    url: chain.rpcUrl,
    anvil,
    rpc: openChainRpc({ url: chain.rpcUrl, timeoutMs: 60_000 }),
    newPayer,
    newSigner,
    sendAsStranger: (to, data) => anvil.sendTransaction({ account: stranger, chain: null, to, data, gas: 300_000n }),
    async stop() {
      await chain.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
