import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { serveUntilDisconnected } from './serve-until-disconnected.ts'

// Settlement without a chain, for both sides: a facilitator that finds every payment valid and settles it at once, and a node that
// confirms what that facilitator says. The node is needed because the ledger believes no facilitator: it reads every transfer itself.

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const BALANCE_OF = '0x70a08231'
const NETWORK = 'eip155:8453'
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const ZERO_WORD = `0x${'0'.repeat(64)}`

type Payment = { payload: { authorization: { from: string; to: string; value: string; nonce: string } } }
type Settled = { authorization: Payment['payload']['authorization']; blockNumber: number }
type RpcCall = { id: number; method: string; params?: unknown[] }

const settled = new Map<string, Settled>()
let blockNumber = 1

const server = createServer(async (request, response) => {
  const answer = await answerTo(request)
  const body = JSON.stringify(answer ?? { error: 'not found' })
  response.writeHead(answer === undefined ? 404 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
})
await serveUntilDisconnected(server)

async function answerTo(request: IncomingMessage): Promise<unknown> {
  if (request.url === '/supported')
    return { kinds: [{ x402Version: 2, scheme: 'exact', network: NETWORK }], extensions: [], signers: {} }
  const body = await readJson(request)
  switch (request.url) {
    case '/verify':
      return { isValid: true, payer: paymentIn(body).payload.authorization.from }
    case '/settle':
      return settle(paymentIn(body))
    case '/rpc':
      return Array.isArray(body) ? body.map((call) => answerRpc(call as RpcCall)) : answerRpc(body as RpcCall)
    default:
      return undefined
  }
}

function paymentIn(body: unknown): Payment {
  return (body as { paymentPayload: Payment }).paymentPayload
}

function settle({ payload: { authorization } }: Payment): unknown {
  const transaction = `0x${randomBytes(32).toString('hex')}`
  blockNumber += 1
  settled.set(transaction, { authorization, blockNumber })
  return { success: true, transaction, network: NETWORK, payer: authorization.from }
}

function answerRpc({ id, method, params = [] }: RpcCall): unknown {
  const result = rpcResult(method, params)
  return result === undefined
    ? { jsonrpc: '2.0', id, error: { code: -32601, message: `${method} is not part of the stub` } }
    : { jsonrpc: '2.0', id, result }
}

function rpcResult(method: string, params: unknown[]): unknown {
  switch (method) {
    case 'eth_chainId':
      return quantity(8453)
    case 'eth_blockNumber':
      return quantity(blockNumber)
    case 'eth_getTransactionReceipt':
      return receiptOf(String(params[0]))
    case 'eth_call':
      // A million USDC for everybody.
      return (params[0] as { data?: string }).data?.startsWith(BALANCE_OF) ? word(10n ** 12n) : undefined
    default:
      return undefined
  }
}

function receiptOf(hash: string): unknown {
  const transfer = settled.get(hash)
  if (transfer === undefined) return null
  const { from, to, value, nonce } = transfer.authorization
  const at = {
    blockHash: ZERO_WORD,
    blockNumber: quantity(transfer.blockNumber),
    transactionHash: hash,
    transactionIndex: '0x0',
    address: USDC,
    removed: false,
  }
  return {
    ...{ transactionHash: hash, transactionIndex: '0x0', blockHash: ZERO_WORD, blockNumber: at.blockNumber },
    ...{ from: ZERO_ADDRESS, to: USDC, contractAddress: null, type: '0x2', status: '0x1', logsBloom: '0x' },
    ...{ cumulativeGasUsed: '0x14ed0', gasUsed: '0x14ed0', effectiveGasPrice: '0x1' },
    logs: [
      { ...at, logIndex: '0x0', topics: [AUTHORIZATION_USED, addressWord(from), nonce], data: '0x' },
      { ...at, logIndex: '0x1', topics: [TRANSFER, addressWord(from), addressWord(to)], data: word(BigInt(value)) },
    ],
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`
}

function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function addressWord(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
