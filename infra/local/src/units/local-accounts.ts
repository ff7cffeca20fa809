import { parseEther } from 'viem'
import type { Identity } from '../identity.ts'
import { keepWholeState } from '../parts/chain.ts'
import { connectChain } from '../parts/chain-client.ts'
import { balanceOfUsdc } from '../parts/deploy-usdc.ts'
import { mintUsdc } from '../parts/mint-usdc.ts'
import type { Site } from '../parts/part.ts'

const walletAtomic = 1_000_000_000n
const leastWalletAtomic = 1_000_000n

/** The demo wallet holds 1,000 test USDC, again when it was spent; the facilitator's signer can pay for its gas. */
export async function fundAccounts(
  rpcUrl: string,
  { wallet, signer }: { readonly [Name in 'wallet' | 'signer']: Pick<Identity[Name], 'address'> },
): Promise<void> {
  const chain = connectChain(rpcUrl)
  const balanceAtomic = await balanceOfUsdc(chain, wallet.address)
  if (balanceAtomic < leastWalletAtomic) await mintUsdc(chain, wallet.address, walletAtomic - balanceAtomic)
  if ((await chain.getBalance({ address: signer.address })) < parseEther('1')) {
    await chain.setBalance({ address: signer.address, value: parseEther('1000') })
  }
}

const keepEveryMs = 10_000

/** Keeps a whole copy of the chain's state from the first call on. */
export function keepingWholeState(site: Site): () => void {
  let keeps = false
  return () => {
    if (!keeps) setInterval(() => keepWholeState(site), keepEveryMs).unref()
    keeps = true
  }
}
