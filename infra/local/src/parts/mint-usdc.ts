import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, type Hex } from 'viem'
import { type ChainClient, sendAs, usdcAddress } from './chain-client.ts'
import { usdcAbi } from './deploy-usdc.ts'

const attempts = 40

/** The mints of this process, one after the other: the issuer is one account with one sequence of nonces. */
const queueByChain = new Map<string, Promise<void>>()

/** Mints test USDC. Nobody holds the issuer's key: the local chain lets us act for it. */
export function mintUsdc(client: ChainClient, to: Hex, amountAtomic: bigint): Promise<void> {
  const chain = client.transport.url ?? ''
  const turn = (queueByChain.get(chain) ?? Promise.resolve()).then(() => mint(client, to, amountAtomic))
  queueByChain.set(
    chain,
    turn.catch(() => {}),
  )
  return turn
}

async function mint(client: ChainClient, to: Hex, amountAtomic: bigint): Promise<void> {
  const issuer = await client.readContract({ address: usdcAddress, abi: usdcAbi, functionName: 'masterMinter' })
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [to, amountAtomic] })
  // The issuer stays open: closing it would take it from another process that mints at this moment.
  await client.impersonateAccount({ address: issuer })
  await client.setBalance({ address: issuer, value: 10n ** 21n })
  for (let attempt = 1; ; attempt++) {
    try {
      await sendAs(client, issuer, { to: usdcAddress, data })
      return
    } catch (error) {
      if (attempt === attempts || !isTakenNonce(error)) throw error
      await sleep(10 + Math.random() * 40)
    }
  }
}

/** Another process minted with the same nonce; ours was refused, so it may be sent again. */
function isTakenNonce(error: unknown): boolean {
  return error instanceof Error && /already imported|nonce too low|lower than the current nonce|underpriced/i.test(error.message)
}
