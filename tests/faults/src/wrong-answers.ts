import { randomBytes } from 'node:crypto'
import type { Tricks } from './fault-proxy.ts'

type Lies = Tricks['wrong']

const NETWORK = 'eip155:8453'

/** A refusal that blames the payer, after the transfer was made; a success that never was. */
export const settleLies: Lies = {
  refuses: () =>
    JSON.stringify({
      success: false,
      errorReason: 'invalid_exact_evm_insufficient_balance',
      transaction: '',
      network: NETWORK,
    }),
  confirms: (body) =>
    JSON.stringify({
      success: true,
      transaction: `0x${randomBytes(32).toString('hex')}`,
      network: NETWORK,
      payer: /"from"\s*:\s*"(0x[0-9a-fA-F]{40})"/.exec(body)?.[1],
    }),
}

/** For a reason that nobody else gives, so that its refusals can be told from ours. */
export const verifyLies: Lies = {
  refuses: () => JSON.stringify({ isValid: false, invalidReason: 'facilitator_says_no' }),
  confirms: () => JSON.stringify({ isValid: true }),
}

/** The node's own error for every call of a batch, the sent transaction among them, after it took it. */
export const nodeLies: Lies = {
  refuses: (body) => {
    const parsed: unknown = JSON.parse(body)
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    const answers = calls.map((call: { id?: unknown }) => ({
      jsonrpc: '2.0',
      id: call.id ?? null,
      error: { code: -32005, message: 'limit exceeded' },
    }))
    return JSON.stringify(Array.isArray(parsed) ? answers : answers[0])
  },
  confirms: (body) => body,
}
