/** How nodes say that a call was executed and failed. */
const FAILED_CALLS = /revert|out of gas|outofgas|EVM error|invalid opcode|stack (?:over|under)flow|invalid jump/i
const NO_PROPER_ANSWER = /^(?:ContractFunctionZeroDataError|AbiDecoding)/
const EXECUTION_REVERTED = 3

/**
 * Did the contract answer (by failing, or with nothing that can be read), or was nobody there to ask? viem calls every internal
 * error of a node a revert; taken at its word, a node in trouble would make good signatures "invalid".
 */
export function isContractVerdict(error: unknown): boolean {
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < 10; depth += 1) {
    if (NO_PROPER_ANSWER.test(cause.name)) return true
    // Revert data, even such that cannot be decoded: viem then loses the node's error behind the decoder's.
    if ('raw' in cause && typeof cause.raw === 'string') return true
    if ('code' in cause && cause.code === EXECUTION_REVERTED) return true
    if ('details' in cause && typeof cause.details === 'string' && FAILED_CALLS.test(cause.details)) return true
    cause = cause.cause
  }
  return false
}
