import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { connectChain } from './parts/chain-client.ts'
import { mintUsdc } from './parts/mint-usdc.ts'

export interface Wallet {
  readonly address: Hex
  readonly privateKey: Hex
}

/** A fresh wallet that holds that many test USDC on a local chain: a running stack's, or one that a test started. */
export async function fundWallet(on: { readonly chain: { readonly rpcUrl: string } }, usdc: number): Promise<Wallet> {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAddress(privateKey)
  await mintUsdc(connectChain(on.chain.rpcUrl), address, BigInt(Math.round(usdc * 1e6)))
  return { address, privateKey }
}
