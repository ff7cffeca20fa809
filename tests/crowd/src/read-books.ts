import { openChainRpc, readBlockNumber, type TransferToSeller, transfersToSeller } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { type Books, compareBooks, type ReceiptSeen } from './compare-books.ts'
import type { Crowd } from './crowd.ts'
import { missingFile, type Work } from './paid-work.ts'

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
    const receipt = await again(async () => {
      const response = await fetch(`${base}/v1/receipts/${paid.receiptId}`, {
        headers: { authorization: `Bearer ${paid.receiptToken}` },
      })
      const body = await response.text()
      return response.ok ? (JSON.parse(body) as ReceiptSeen) : undefined
    })
    if (receipt !== undefined) receipts.set(paid.receiptId, receipt)
  }
  const books = compareBooks({ payTo, transfers, requests: crowd.requests, receipts })
  const missing: string[] = []
  for (const request of crowd.requests) {
    const problem = request.paid === undefined ? undefined : await fetchedAtLast(request.work, request.paid.body)
    if (problem !== undefined) missing.push(`request ${request.number}: ${problem}`)
  }
  return { ...books, others: all.length - transfers.length, differences: [...books.differences, ...missing] }
}

const ATTEMPTS = 3

/** A connection that breaks says nothing of what was asked for: whoever reads asks again. What it broke with, when it always does. */
async function again<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  }
}

async function fetchedAtLast(work: Work, body: string): Promise<string | undefined> {
  try {
    return await again(() => missingFile(work, body))
  } catch (error) {
    return `its ${work} cannot be had: ${error instanceof Error ? error.message : String(error)}`
  }
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
