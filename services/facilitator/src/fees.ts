import type { PublicClient } from 'viem'

export interface Fees {
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export interface Market {
  fees: Fees
  /** No transaction may ask for more. */
  blockGasLimit: bigint
}

/** Twice the base fee outlasts six full blocks in a row, at the chain's steepest rise of an eighth per block. */
export async function readMarket(client: PublicClient, ceiling: bigint): Promise<Market> {
  const [block, priority] = await Promise.all([client.getBlock({ blockTag: 'latest' }), client.estimateMaxPriorityFeePerGas()])
  const fees = cap({ maxFeePerGas: (block.baseFeePerGas ?? 0n) * 2n + priority, maxPriorityFeePerGas: priority }, ceiling)
  return { fees, blockGasLimit: block.gasLimit }
}

/** What a replacement must offer: nodes ask for a tenth more of both fees; an eighth is the custom, a quarter gets there sooner. */
export function raiseFees(previous: Fees, current: Fees, ceiling: bigint): Fees {
  const raised = (value: bigint) => (value * 5n) / 4n + 1n
  return cap(
    {
      maxFeePerGas: larger(raised(previous.maxFeePerGas), current.maxFeePerGas),
      maxPriorityFeePerGas: larger(raised(previous.maxPriorityFeePerGas), current.maxPriorityFeePerGas),
    },
    ceiling,
  )
}

function cap(fees: Fees, ceiling: bigint): Fees {
  const maxFeePerGas = fees.maxFeePerGas < ceiling ? fees.maxFeePerGas : ceiling
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas < maxFeePerGas ? fees.maxPriorityFeePerGas : maxFeePerGas,
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
