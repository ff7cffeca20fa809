import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeErrorResult, parseAbi } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { openChainRpc } from './chain-rpc.ts'
import { verifyContractSignature } from './contract-signature.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('fetches nothing from where a payer’s contract points to', async () => {
  const wallet = `0x${'ab'.repeat(20)}` as const
  const visits: string[] = []
  const elsewhere = await serve((request, response) => {
    visits.push(request.url ?? '')
    response.end('{"data":"0x"}')
  })
  const abi = parseAbi(['error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callback, bytes extraData)'])
  const data = encodeErrorResult({ abi, args: [wallet, [`${elsewhere}/{sender}`], '0x12', '0x12345678', '0x'] })
  const node = await serve(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const calls: { id: number; method: string }[] = [JSON.parse(text)].flat()
    const answer = ({ id, method }: { id: number; method: string }) =>
      method === 'eth_getCode'
        ? { jsonrpc: '2.0', id, result: '0xfe' }
        : { jsonrpc: '2.0', id, error: { code: 3, message: 'execution reverted', data } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(text.startsWith('[') ? calls.map(answer) : answer(calls[0] as { id: number; method: string })))
  })
  const rpc = openChainRpc({ url: node, timeoutMs: 5_000 })
  const authorization = {
    from: wallet,
    to: wallet,
    value: 1n,
    validAfter: 0n,
    validBefore: 1n,
    nonce: `0x${'00'.repeat(32)}`,
  } as const
  const check = await verifyContractSignature(rpc, { authorization, signature: '0x12' })
  expect(visits).toEqual([])
  expect(check).toEqual({ kind: 'invalid' })
})
