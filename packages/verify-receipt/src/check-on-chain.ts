import { type Check, check, fieldsOf, no, yes } from './verify-receipt.ts'

type Log = { address: string; topics: string[]; data: string; logIndex: string }
type TransactionReceipt = { status: string; blockNumber: string; logs: Log[] }

// keccak256 of AuthorizationUsed(address,bytes32) and of Transfer(address,address,uint256).
export const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const BASE_CHAIN_ID = '0x2105'

/**
 * Whether the receipt's transaction moved its amount from payer to seller with its authorization. USDC writes AuthorizationUsed and,
 * right after it, the Transfer: that pairs the two where one transaction holds many. Throws when the node cannot be asked.
 */
export async function checkOnChain(receipt: Record<string, unknown>, rpcUrl: string): Promise<Check[]> {
  const payment = fieldsOf(receipt.payment)
  const transaction = String(payment.transaction)
  if (!/^0x[0-9a-f]{64}$/.test(transaction)) return [no('the receipt names no transaction')]
  const chainId = await call<string>(rpcUrl, 'eth_chainId', [])
  if (chainId !== BASE_CHAIN_ID) return [no(`this node speaks for chain ${Number(chainId)}, not for Base (8453)`)]
  const mined = await call<TransactionReceipt | null>(rpcUrl, 'eth_getTransactionReceipt', [transaction])
  if (mined === null) return [no(`the chain knows no transaction ${transaction}`)]
  const newest = Number(await call<string>(rpcUrl, 'eth_blockNumber', []))
  const depth = newest - Number(mined.blockNumber) + 1
  return [
    check(mined.status === '0x1', `transaction ${transaction} succeeded, in block ${Number(mined.blockNumber)} (${depth} deep)`),
    transferIn(mined.logs, payment, String(fieldsOf(receipt.price).amount_atomic)),
  ]
}

function transferIn(logs: readonly Log[], payment: Record<string, unknown>, amountAtomic: string): Check {
  const {
    asset,
    payer,
    pay_to: payTo,
    nonce,
  } = Object.fromEntries(Object.entries(payment).map(([name, value]) => [name, String(value).toLowerCase()]))
  const ofToken = logs.filter(({ address }) => address.toLowerCase() === asset)
  const used = ofToken.find(({ topics }) => topics[0] === AUTHORIZATION_USED && topics[1] === word(payer) && topics[2] === nonce)
  if (used === undefined) return no('it did not use the authorization of this receipt')
  const moved = ofToken.find(({ logIndex }) => Number(logIndex) === Number(used.logIndex) + 1)
  const isPayment =
    moved !== undefined &&
    moved.topics[0] === TRANSFER &&
    moved.topics[1] === word(payer) &&
    moved.topics[2] === word(payTo) &&
    /^[0-9]{1,30}$/.test(amountAtomic) &&
    BigInt(moved.data) === BigInt(amountAtomic)
  return isPayment
    ? yes(`it moved ${amountAtomic} atomic USDC from ${payer} to ${payTo}, by the authorization of this receipt`)
    : no(
        `it used the authorization for another transfer than the receipt's ${amountAtomic} atomic USDC from ${payer} to ${payTo}`,
      )
}

function word(address: string | undefined): string {
  return `0x${(address ?? '').slice(2).padStart(64, '0')}`
}

async function call<T>(rpcUrl: string, method: string, params: unknown[]): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(15_000),
  })
  const { result, error } = (await response.json()) as { result?: T; error?: { message?: string } }
  if (result === undefined) throw new Error(`the node refuses ${method}: ${error?.message ?? response.status}`)
  return result
}
