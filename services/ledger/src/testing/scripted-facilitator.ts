import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectChain } from '@turnpike/local'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const TOKEN = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])
const USDC: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/**
 * What the facilitator does with the next settlements:
 * - `pay`: sends the transfer, waits for it, says so
 * - `lost`: sends it and drops the connection instead of answering
 * - `hang`: neither sends nor answers
 * - `status-500`: answers that without sending
 * - `refuse`: the official refusal of a payer without funds
 * - `refuse-operator`: the official refusal that is the operator's fault
 * - `lie`: claims success with a transaction that does not exist
 */
export type FacilitatorMode = 'pay' | 'lost' | 'hang' | 'status-500' | 'refuse' | 'refuse-operator' | 'lie'

type Authorization = { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex }
type SettleBody = { paymentPayload: { payload: { authorization: Authorization; signature: Hex } } }

export type ScriptedFacilitator = {
  url: string
  setMode(mode: FacilitatorMode): void
  /** Holds every answer back until the returned function is called. */
  hold(): () => void
  /** What the last one who asked showed for himself. */
  shown(): string | undefined
  /** Nonces handed in, oldest first. */
  seen(): readonly string[]
  /** Hands a payment in as the client does, and forgets the answer. */
  handIn(paymentPayload: unknown): Promise<void>
  /** Sends a transfer without having been asked, as a front-runner would. */
  transfer(authorization: Authorization, signature: Hex): Promise<Hex>
  close(): Promise<void>
}

/** Real transfers on the real chain, and faults on demand. */
export async function startScriptedFacilitator(chain: { rpcUrl: string }): Promise<ScriptedFacilitator> {
  const client = connectChain(chain.rpcUrl)
  const signer = privateKeyToAccount(generatePrivateKey())
  await client.setBalance({ address: signer.address, value: 10n ** 21n })
  const seen: string[] = []
  let mode: FacilitatorMode = 'pay'
  let shown: string | undefined
  let gate: Promise<void> = Promise.resolve()
  // One at a time: the signer's transaction count is not guarded otherwise.
  let turn: Promise<unknown> = Promise.resolve()

  async function transfer(authorization: Authorization, signature: Hex): Promise<Hex> {
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const data = encodeFunctionData({
      abi: TOKEN,
      functionName: 'transferWithAuthorization',
      args: [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
    })
    const sent = turn.then(async () => {
      const hash = await client.sendTransaction({ account: signer, chain: null, to: USDC, data })
      await client.waitForTransactionReceipt({ hash })
      return hash
    })
    turn = sent.catch(() => {})
    return sent
  }

  async function settle({ paymentPayload }: SettleBody, response: ServerResponse): Promise<void> {
    const { authorization, signature } = paymentPayload.payload
    seen.push(authorization.nonce.toLowerCase())
    const now = mode
    await gate
    const no = (errorReason: string) => ({ success: false, errorReason, transaction: '', network: 'eip155:8453' })
    switch (now) {
      case 'hang':
        return
      case 'status-500':
        return answer(response, 500, { error: 'internal' })
      case 'refuse':
        return answer(response, 200, no('invalid_exact_evm_insufficient_balance'))
      case 'refuse-operator':
        return answer(response, 200, no('invalid_exact_evm_transaction_simulation_failed'))
      case 'lie':
        return answer(response, 200, {
          success: true,
          transaction: `0x${'ab'.repeat(32)}`,
          network: 'eip155:8453',
          payer: authorization.from,
        })
      case 'lost':
        await transfer(authorization, signature)
        response.destroy()
        return
      case 'pay': {
        try {
          const transaction = await transfer(authorization, signature)
          return answer(response, 200, { success: true, transaction, network: 'eip155:8453', payer: authorization.from })
        } catch {
          return answer(response, 200, no('invalid_exact_evm_transaction_failed'))
        }
      }
    }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    shown = request.headers.authorization
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      settle(JSON.parse(Buffer.concat(chunks).toString()) as SettleBody, response).catch(() => response.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    async handIn(paymentPayload) {
      const answer = await fetch(`${url}/settle`, { method: 'POST', body: JSON.stringify({ paymentPayload }) })
      await answer.arrayBuffer()
    },
    setMode: (next) => {
      mode = next
    },
    hold() {
      let open: () => void = () => {}
      gate = new Promise((resolve) => {
        open = resolve
      })
      return () => {
        open()
        gate = Promise.resolve()
      }
    },
    shown: () => shown,
    seen: () => seen,
    transfer,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
