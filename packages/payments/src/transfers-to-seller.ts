import type { ChainRpc } from './chain-rpc.ts'
import { AUTHORIZATION_USED_TOPIC, type MinedLog, TRANSFER_TOPIC, topicOfAddress } from './settlement-logs.ts'
import { type Hex, USDC_ADDRESS } from './usdc.ts'

export interface TransferToSeller {
  payer: Hex
  /** Of the authorization that made it; undefined for a plain transfer. */
  nonce: Hex | undefined
  amountAtomic: bigint
  transaction: Hex
  blockNumber: bigint
  logIndex: number
  /** Who sent the transaction: a facilitator, as a rule. */
  sentBy: Hex
}

/**
 * Every transfer of USDC to the seller in a range of blocks, oldest first, one list per `logRangeBlocks`.
 *
 * Asked for by recipient and not by AuthorizationUsed: that event names neither recipient nor amount, so on Base one would read
 * everybody's. Each transaction's own logs then tell which transfers an authorization made. Throws when the node cannot be asked.
 */
export async function* transfersToSeller(
  rpc: ChainRpc,
  range: { payTo: string; from: bigint; to: bigint },
): AsyncGenerator<TransferToSeller[]> {
  for (let from = range.from; from <= range.to; from += rpc.logRangeBlocks) {
    const end = from + rpc.logRangeBlocks - 1n
    const logs = await rpc.client.request({
      method: 'eth_getLogs',
      params: [
        {
          address: USDC_ADDRESS,
          topics: [TRANSFER_TOPIC, null, topicOfAddress(range.payTo)],
          fromBlock: toQuantity(from),
          toBlock: toQuantity(end < range.to ? end : range.to),
        },
      ],
    })
    const hashes = new Set(
      logs.flatMap((log) => (log.removed === true || log.transactionHash === null ? [] : log.transactionHash)),
    )
    const found: TransferToSeller[] = []
    for (const some of groups([...hashes], RECEIPTS_AT_ONCE)) {
      const receipts = await Promise.all(some.map((hash) => rpc.client.getTransactionReceipt({ hash })))
      for (const { logs, transactionHash, blockNumber, from: sentBy } of receipts) {
        const at = { transaction: lower(transactionHash), blockNumber, sentBy: lower(sentBy) }
        found.push(...transfersInLogs(logs, range.payTo).map((transfer) => ({ ...transfer, ...at })))
      }
    }
    yield found
  }
}

const RECEIPTS_AT_ONCE = 100

/** The transfers to the seller in one transaction's logs; `useInLogs` says why an authorization stands right before its transfer. */
export function transfersInLogs(
  logs: readonly MinedLog[],
  payTo: string,
): Pick<TransferToSeller, 'payer' | 'nonce' | 'amountAtomic' | 'logIndex'>[] {
  const ofToken = logs.filter((log) => log.address.toLowerCase() === USDC_ADDRESS.toLowerCase())
  const byIndex = new Map(ofToken.map((log) => [log.logIndex, log]))
  return ofToken.flatMap((log) => {
    const [event, from, to] = log.topics
    if (event?.toLowerCase() !== TRANSFER_TOPIC || from === undefined || log.data.length !== 66) return []
    if (to?.toLowerCase() !== topicOfAddress(payTo)) return []
    const before = byIndex.get(log.logIndex - 1)
    const isAuthorized =
      before?.topics[0]?.toLowerCase() === AUTHORIZATION_USED_TOPIC && before.topics[1]?.toLowerCase() === from.toLowerCase()
    const nonce = isAuthorized ? before.topics[2] : undefined
    return [
      {
        payer: lower(`0x${from.slice(-40)}`),
        nonce: nonce === undefined ? undefined : lower(nonce),
        amountAtomic: BigInt(log.data),
        logIndex: log.logIndex,
      },
    ]
  })
}

function lower(text: string): Hex {
  return text.toLowerCase() as Hex
}

function groups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))
}

function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}
