import type { ChainRpc } from './chain-rpc.ts'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  type ExpectedTransfer,
  topicOfAddress,
  useInLogs,
} from './settlement-logs.ts'
import { type Hex, USDC_ABI, USDC_ADDRESS } from './usdc.ts'

/** A day of Base blocks: how far before `fromBlock` a use is looked for. Presented authorizations were unused minutes before. */
const LOOKBACK_BLOCKS = 43_200n

export interface ExpectedSettlement extends ExpectedTransfer {
  /** Blocks that hold the transaction or were built on it; 1 is "mined". */
  confirmations: number
}

export type SettlementFinding =
  | { kind: 'settled'; transaction: Hex; blockNumber: bigint }
  /** The nonce is used up without the transfer: the payer paid somebody else or another amount, or cancelled. No payment. */
  | { kind: 'spent_elsewhere'; transaction: Hex; blockNumber: bigint; how: 'other_transfer' | 'cancelled' }
  | { kind: 'unconfirmed'; transaction: Hex; blockNumber: bigint }
  /**
   * Unused as of `latestBlockNumber`. It can never be used any more once `confirmedBlockTimestamp >= validBefore`, and only
   * then is it a failure. Timestamps are unix seconds.
   */
  | {
      kind: 'unused'
      latestBlockNumber: bigint
      latestBlockTimestamp: bigint
      confirmedBlockNumber: bigint
      confirmedBlockTimestamp: bigint
    }
  | { kind: 'unavailable'; why: string }

/**
 * What the chain says about one authorization. Never throws: a node that cannot be asked, or that contradicts itself because
 * its replicas disagree, is `unavailable`.
 */
export async function findSettlement(
  rpc: ChainRpc,
  expected: ExpectedSettlement & { fromBlock: bigint },
): Promise<SettlementFinding> {
  try {
    const latest = await rpc.client.getBlock({ blockTag: 'latest' })
    const confirmedNumber = confirmedBlock(latest.number, expected.confirmations)
    // Read at exactly that block: "unused" is then true of the block whose timestamp is returned, whichever replica answers.
    const [isUsed, confirmed] = await Promise.all([
      rpc.client.readContract({
        address: USDC_ADDRESS,
        abi: USDC_ABI,
        functionName: 'authorizationState',
        args: [expected.payer, expected.nonce],
        blockNumber: latest.number,
      }),
      rpc.client.getBlock({ blockNumber: confirmedNumber }),
    ])
    if (!isUsed) {
      return {
        kind: 'unused',
        latestBlockNumber: latest.number,
        latestBlockTimestamp: latest.timestamp,
        confirmedBlockNumber: confirmed.number,
        confirmedBlockTimestamp: confirmed.timestamp,
      }
    }
    const transaction = await findUse(rpc, expected, latest.number)
    if (transaction === undefined) return { kind: 'unavailable', why: 'used, but its event was not found' }
    const finding = await readUse(rpc, transaction, expected, latest.number)
    if (finding.kind === 'not_found') return { kind: 'unavailable', why: 'used, but its transaction was not found' }
    if (finding.kind === 'untouched') return { kind: 'unavailable', why: 'used, but not by the transaction of its event' }
    return finding
  } catch (error) {
    return { kind: 'unavailable', why: describe(error) }
  }
}

export type TransactionFinding =
  | Exclude<SettlementFinding, { kind: 'unused' }>
  /** Unknown to the node, or not mined yet. */
  | { kind: 'not_found' }
  /** Mined, and it did nothing with this authorization (reverted, another payment, a failed call of a batch). */
  | { kind: 'untouched'; transaction: Hex; blockNumber: bigint }

/** The same rule for a transaction that somebody names. Never throws. */
export async function verifyTransaction(
  rpc: ChainRpc,
  transaction: Hex,
  expected: ExpectedSettlement,
): Promise<TransactionFinding> {
  try {
    const latest = await rpc.client.getBlockNumber({ cacheTime: 0 })
    return await readUse(rpc, transaction, expected, latest)
  } catch (error) {
    return { kind: 'unavailable', why: describe(error) }
  }
}

async function readUse(
  rpc: ChainRpc,
  transaction: Hex,
  expected: ExpectedSettlement,
  latest: bigint,
): Promise<TransactionFinding> {
  const receipt = await readReceipt(rpc, transaction)
  if (receipt === undefined) return { kind: 'not_found' }
  const at = { transaction, blockNumber: receipt.blockNumber }
  const use = receipt.status === 'success' ? useInLogs(receipt.logs, expected) : 'untouched'
  if (receipt.blockNumber > confirmedBlock(latest, expected.confirmations)) return { kind: 'unconfirmed', ...at }
  switch (use) {
    case 'paid':
      return { kind: 'settled', ...at }
    case 'untouched':
      return { kind: 'untouched', ...at }
    case 'other_transfer':
    case 'cancelled':
      return { kind: 'spent_elsewhere', ...at, how: use }
  }
}

async function readReceipt(rpc: ChainRpc, transaction: Hex) {
  try {
    return await rpc.client.getTransactionReceipt({ hash: transaction })
  } catch (error) {
    if (error instanceof Error && error.name === 'TransactionReceiptNotFoundError') return undefined
    throw error
  }
}

/** Forward from `fromBlock` first, where it nearly always is; then back, for a front-runner who was faster than our record. */
async function findUse(
  rpc: ChainRpc,
  expected: ExpectedTransfer & { fromBlock: bigint },
  latest: bigint,
): Promise<Hex | undefined> {
  const oldest = expected.fromBlock > LOOKBACK_BLOCKS ? expected.fromBlock - LOOKBACK_BLOCKS : 0n
  const forward = ranges(expected.fromBlock, latest, rpc.logRangeBlocks)
  const backward = ranges(oldest, expected.fromBlock - 1n, rpc.logRangeBlocks).reverse()
  for (const range of [...forward, ...backward]) {
    const logs = await rpc.client.request({
      method: 'eth_getLogs',
      params: [
        {
          address: USDC_ADDRESS,
          topics: [[AUTHORIZATION_USED_TOPIC, AUTHORIZATION_CANCELED_TOPIC], topicOfAddress(expected.payer), expected.nonce],
          fromBlock: toQuantity(range.from),
          toBlock: toQuantity(range.to),
        },
      ],
    })
    const found = logs.find((log) => log.removed !== true)?.transactionHash
    if (found !== undefined && found !== null) return found.toLowerCase() as Hex
  }
  return undefined
}

function ranges(from: bigint, to: bigint, size: bigint): { from: bigint; to: bigint }[] {
  const list: { from: bigint; to: bigint }[] = []
  for (let start = from; start <= to; start += size) {
    const end = start + size - 1n
    list.push({ from: start, to: end < to ? end : to })
  }
  return list
}

function confirmedBlock(latest: bigint, confirmations: number): bigint {
  const depth = BigInt(Math.max(1, confirmations)) - 1n
  return latest > depth ? latest - depth : 0n
}

function toQuantity(value: bigint): Hex {
  return `0x${value.toString(16)}`
}

/** One line without the request: viem puts whole calldata, signatures included, into its messages. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'rpc error'
  return 'shortMessage' in error && typeof error.shortMessage === 'string' ? `${error.name}: ${error.shortMessage}` : error.name
}
