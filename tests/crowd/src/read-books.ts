import { openChainRpc, readBlockNumber, type TransferToSeller, transfersToSeller } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { type Books, compareBooks, type ReceiptSeen } from './compare-books.ts'
import type { Crowd } from './crowd.ts'
import { missingFile } from './paid-work.ts'

export type BooksDeps = {
  payTo: string
  rpcUrl: string
  crowd: Crowd
  /** The first block of the crowd's time, where others paid before it; 0 unless told. */
  fromBlock?: bigint
  /** Whose transfers are the crowd's; everybody's unless told. */
  payers?: readonly string[]
}

/** Reads the chain, and over HTTP every receipt and every file that a client was given, and compares. */
export async function readBooks({
  payTo,
  rpcUrl,
  crowd,
  fromBlock = 0n,
  payers,
}: BooksDeps): Promise<Books & { others: number }> {
  const rpc = openChainRpc({ url: rpcUrl, timeoutMs: 10_000 })
  const all: TransferToSeller[] = []
  for await (const found of transfersToSeller(rpc, { payTo, from: fromBlock, to: await readBlockNumber(rpc) })) {
    all.push(...found)
  }
  const own = payers === undefined ? undefined : new Set(payers.map((payer) => payer.toLowerCase()))
  const transfers = own === undefined ? all : all.filter(({ payer }) => own.has(payer))
  const receipts = new Map<string, ReceiptSeen>()
  for (const { paid, number } of crowd.requests) {
    if (paid === undefined) continue
    const base = crowd.deps.gateways[number % crowd.deps.gateways.length]
    const response = await fetch(`${base}/v1/receipts/${paid.receiptId}`, {
      headers: { authorization: `Bearer ${paid.receiptToken}` },
    })
    if (response.ok) receipts.set(paid.receiptId, (await response.json()) as ReceiptSeen)
    else await response.body?.cancel()
  }
  const books = compareBooks({ payTo, transfers, requests: crowd.requests, receipts })
  const missing: string[] = []
  for (const request of crowd.requests) {
    const problem = request.paid === undefined ? undefined : await missingFile(request.work, request.paid.body)
    if (problem !== undefined) missing.push(`request ${request.number}: ${problem}`)
  }
  return { ...books, others: all.length - transfers.length, differences: [...books.differences, ...missing] }
}

/** No settlement is under way any more: the chain has been still for a moment. */
export async function untilQuiet({ rpcUrl }: { rpcUrl: string }, quietMs: number): Promise<void> {
  const rpc = openChainRpc({ url: rpcUrl, timeoutMs: 10_000 })
  let block = await readBlockNumber(rpc)
  let since = Date.now()
  await until('the chain is still', async () => {
    const now = await readBlockNumber(rpc)
    if (now !== block) since = Date.now()
    block = now
    return Date.now() - since >= quietMs
  })
}
