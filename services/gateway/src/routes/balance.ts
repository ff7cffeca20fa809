import { formatUsdc } from '@turnpike/contracts'
import { NETWORK, USDC_ADDRESS } from '@turnpike/payments'
import type { WalletBalances } from '../chain/wallet-balances.ts'
import type { Handler } from '../http/call.ts'
import { type SendDeps, sendJson, sendProblem } from '../http/send-answer.ts'

type Deps = SendDeps & { wallets: WalletBalances }

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const EXPECTED = 'address must be 0x and 40 hex digits, given once, as in /v1/balance?address=0x...'

/** GET /v1/balance?address=0x…: what a wallet holds on Base, from the chain. Asks for no signature. */
export function balanceRoute(deps: Deps): Handler {
  return async (request, response, call) => {
    const addresses = new URLSearchParams(queryOf(request.url ?? '')).getAll('address')
    const [wallet] = addresses
    if (wallet === undefined) {
      return sendProblem(deps, response, call, { code: 'missing_required_field', param: 'address', message: EXPECTED })
    }
    if (addresses.length > 1 || !ADDRESS.test(wallet)) {
      return sendProblem(deps, response, call, { code: 'invalid_value', param: 'address', message: EXPECTED })
    }
    const atomic = await deps.wallets(wallet.toLowerCase())
    if (atomic === undefined) return sendProblem(deps, response, call, { code: 'balance_unavailable' })
    const body = {
      object: 'wallet_balance',
      network: NETWORK,
      asset: USDC_ADDRESS,
      currency: 'USDC',
      wallet,
      balance_usdc_atomic: atomic.toString(),
      balance_usdc: formatUsdc(atomic),
    }
    sendJson(response, call, body, { headers: { 'cache-control': 'no-store' } })
  }
}

function queryOf(target: string): string {
  const start = target.indexOf('?')
  return start === -1 ? '' : target.slice(start + 1)
}
