import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openChainRpc, readUsdcBalance } from './chain-rpc.ts'
import { isContractVerdict } from './contract-verdict.ts'

const closers: (() => unknown)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** What viem makes of a node's answer to an eth_call. */
async function errorOf(answer: { status?: number; error?: object; result?: string }): Promise<unknown> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([{ jsonrpc: '2.0', id: 0, ...answer }]))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  const rpc = openChainRpc({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, timeoutMs: 2_000, retryCount: 0 })
  return readUsdcBalance(rpc, `0x${'11'.repeat(20)}`).then(
    () => 'no error',
    (error: unknown) => error,
  )
}

describe('isContractVerdict', () => {
  it.each([
    [
      'a revert with data that cannot be read',
      { error: { code: 3, message: 'execution reverted: no', data: `0x08c379a0${'0'.repeat(62)}20` } },
    ],
    ['a revert without one', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
    ['a revert under a general code', { error: { code: -32000, message: 'execution reverted' } }],
    ['gas that ran out', { error: { code: -32000, message: 'out of gas' } }],
    ['a failed opcode', { error: { code: -32603, message: 'EVM error InvalidFEOpcode' } }],
    ['an answer of no bytes', { result: '0x' }],
    ['an answer of too few bytes', { result: '0x01' }],
  ])('is the contract’s: %s', async (_title, answer) => {
    expect(isContractVerdict(await errorOf(answer))).toBe(true)
  })

  it.each([
    ['an internal error', { error: { code: -32603, message: 'Internal error' } }],
    ['a limit', { error: { code: -32005, message: 'rate limit exceeded' } }],
    ['a block that a replica lacks', { error: { code: -32000, message: 'header not found' } }],
    ['a 502', { status: 502 }],
  ])('is the node’s: %s', async (_title, answer) => {
    expect(isContractVerdict(await errorOf(answer))).toBe(false)
  })

  it('is not what is no error', () => {
    expect(isContractVerdict('execution reverted')).toBe(false)
  })
})
