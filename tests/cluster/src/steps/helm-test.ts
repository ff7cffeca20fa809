import { transfersToSeller } from '@turnpike/testing'
import { type Step, timed } from './step.ts'

/** What an operator runs after an installation: it buys one answer with the operator's test wallet. */
export const helmTest: Step = {
  name: 'helm test',
  repeats: 'none',
  async run({ helm, beside }) {
    const { identity, rpcUrl, usdc } = beside
    const sold = { payTo: identity.payTo.address, chain: { rpcUrl, usdc } }
    const paid = async () => (await transfersToSeller(sold, identity.wallet.address)).length
    const before = await paid()
    const { ms, result } = await timed(() => helm.test())
    if (result.status !== 0) throw new Error(`helm test: ${(result.stderr || result.stdout).trim().slice(-800)}`)
    const bought = (await paid()) - before
    if (bought !== 1) throw new Error(`helm test made ${bought} payments, not one`)
    return { paid: bought, seconds: Math.round(ms / 100) / 10 }
  },
}
