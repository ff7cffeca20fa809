import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openFacilitatorClient } from './facilitator-client.ts'
import { REFUSAL_REASONS, TRANSFER_GAS_LIMIT_EXCEEDED } from './facilitator-reasons.ts'
import type { PaymentPayload } from './payment-signature.ts'
import { paymentRequirements } from './requirements.ts'
import type { Hex } from './usdc.ts'

const payer: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const transaction = `0x${'aa'.repeat(32)}`
const network = 'eip155:8453'
const requirements = paymentRequirements({
  amountAtomic: 2000n,
  payTo: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  maxTimeoutSeconds: 300,
})
const payload: PaymentPayload = { x402Version: 2, accepted: requirements, payload: { authorization: {}, signature: '0x11' } }
const closers: (() => unknown)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function clientOf(listener: RequestListener, timeoutMs = 5_000) {
  const server = createServer(listener)
  const url = await listening(server)
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return clientAt(url, timeoutMs)
}

function clientAt(url: string, timeoutMs = 5_000) {
  const client = openFacilitatorClient({ url, timeoutMs })
  closers.unshift(() => client.close())
  return client
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

const answering =
  (status: number, body: unknown): RequestListener =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

async function settleAnswer(body: unknown, status = 200) {
  return (await clientOf(answering(status, body))).settle({ payload, requirements, payer })
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

describe('settle', () => {
  it('sends the official request once and reads a settlement', async () => {
    const seen: unknown[] = []
    const client = await clientOf(async (request, response) => {
      seen.push([request.method, request.url, await bodyOf(request)])
      response.end(JSON.stringify({ success: true, transaction, network, payer: payer.toUpperCase().replace('0X', '0x') }))
    })
    const result = await client.settle({ payload, requirements, payer })
    expect(result).toMatchObject({ kind: 'settled', transaction, payer, response: { success: true, transaction, network } })
    expect(seen).toEqual([['POST', '/settle', { x402Version: 2, paymentPayload: payload, paymentRequirements: requirements }]])
  })

  it.each(REFUSAL_REASONS)('takes %s, without a transaction, for a refusal before sending', async (errorReason) => {
    expect(await settleAnswer({ success: false, errorReason, transaction: '', network })).toMatchObject({
      kind: 'refused',
      reason: errorReason,
    })
  })

  it.each(REFUSAL_REASONS)('takes %s with a transaction for unknown: something was sent', async (errorReason) => {
    expect(await settleAnswer({ success: false, errorReason, transaction, network })).toMatchObject({
      kind: 'unknown',
      transaction,
    })
  })

  it.each([
    'invalid_exact_evm_nonce_already_used',
    'invalid_exact_evm_transaction_failed',
    'invalid_exact_evm_transfer_event_mismatch',
    'settlement_pending',
    'invalid_transaction_state',
    'a_reason_of_tomorrow',
    'constructor',
  ])('takes %s for unknown', async (errorReason) => {
    const result = await settleAnswer({ success: false, errorReason, transaction: '', network })
    expect(result).toEqual({ kind: 'unknown', why: 'not_settled', reason: errorReason, transaction: undefined })
  })

  it('believes a reason that was guessed from a message only with the token’s own words', async () => {
    const errorReason = 'invalid_exact_evm_insufficient_balance'
    const ofPayer = {
      success: false,
      errorReason,
      errorMessage: 'execution reverted: ERC20: transfer amount exceeds balance',
      transaction: '',
      network,
    }
    expect(await settleAnswer(ofPayer)).toEqual({ kind: 'refused', reason: errorReason, blame: 'payer' })
    const ofSigner = { ...ofPayer, errorMessage: 'insufficient funds for gas * price + value: balance 0, tx cost 21000' }
    expect((await settleAnswer(ofSigner)).kind).toBe('unknown')
  })

  it('tells the payer’s faults from the operator’s', async () => {
    const answer = (errorReason: string) => settleAnswer({ success: false, errorReason, transaction: '', network })
    expect(await answer('invalid_exact_evm_insufficient_balance')).toMatchObject({ blame: 'payer' })
    expect(await answer('asset_not_deployed_contract')).toMatchObject({ blame: 'operator' })
    expect(await answer('invalid_exact_evm_transaction_simulation_failed')).toMatchObject({ blame: 'operator' })
  })

  it.each([
    [
      'a 5xx, even one that says no',
      { success: false, errorReason: 'invalid_exact_evm_signature', transaction: '' },
      500,
      'http_status',
    ],
    ['a page of HTML', '<html>Bad gateway</html>', 502, 'http_status'],
    ['a 429', 'slow down', 429, 'http_status'],
    ['a redirect', '', 302, 'http_status'],
    ['broken JSON', '{"success":', 200, 'invalid_answer'],
    ['an empty body', '', 200, 'invalid_answer'],
    ['an array', '[true]', 200, 'invalid_answer'],
    ['success as text', { success: 'true', transaction }, 200, 'invalid_answer'],
    ['success without a transaction', { success: true, transaction: '', network, payer }, 200, 'invalid_answer'],
    ['success on another network', { success: true, transaction, network: 'eip155:84532', payer }, 200, 'invalid_answer'],
    ['success of another payer', { success: true, transaction, network, payer: requirements.payTo }, 200, 'invalid_answer'],
    ['an endless answer', `"${'x'.repeat(300_000)}"`, 200, 'invalid_answer'],
  ])('takes %s for unknown', async (_title, body, status, why) => {
    expect(await settleAnswer(body, status)).toMatchObject({ kind: 'unknown', why })
  })

  it('takes silence for unknown', async () => {
    const client = await clientOf(() => {}, 100)
    expect(await client.settle({ payload, requirements, payer })).toMatchObject({ kind: 'unknown', why: 'timeout' })
  })

  it('takes a body that never ends for unknown', async () => {
    const client = await clientOf((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"success":')
    }, 100)
    expect(await client.settle({ payload, requirements, payer })).toMatchObject({ kind: 'unknown', why: 'timeout' })
  })

  it('takes a reset after the request for unknown, and does not repeat the request', async () => {
    let requests = 0
    const client = await clientOf((request) => {
      requests += 1
      request.socket.destroy()
    })
    expect(await client.settle({ payload, requirements, payer })).toMatchObject({ kind: 'unknown', why: 'connection_lost' })
    expect(requests).toBe(1)
  })

  it('says so when nobody listened', async () => {
    const server = createTcpServer()
    const url = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    expect(await clientAt(url).settle({ payload, requirements, payer })).toMatchObject({ kind: 'unknown', why: 'not_connected' })
    expect(await clientAt(url).verify({ payload, requirements })).toMatchObject({ kind: 'unavailable', why: 'not_connected' })
  })
})

describe('verify', () => {
  const verify = async (body: unknown, status = 200) =>
    (await clientOf(answering(status, body))).verify({ payload, requirements })

  it('reads both verdicts', async () => {
    expect(await verify({ isValid: true, payer })).toEqual({ kind: 'valid', payer })
    const invalidReason = 'invalid_exact_evm_nonce_already_used'
    expect(await verify({ isValid: false, invalidReason })).toEqual({ kind: 'rejected', reason: invalidReason, blame: 'payer' })
    expect(await verify({ isValid: false, invalidReason }, 400)).toMatchObject({ kind: 'rejected' })
    expect(await verify({ isValid: false, invalidReason: 'asset_not_deployed_contract' })).toMatchObject({ blame: 'operator' })
  })

  it.each([
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_signature',
    'invalid_exact_evm_nonce_already_used',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_payload_authorization_valid_after',
    'insufficient_funds',
    'invalid_exact_evm_payload_signature',
  ])('says that %s is the payer’s to mend', async (invalidReason) => {
    expect(await verify({ isValid: false, invalidReason })).toEqual({ kind: 'rejected', reason: invalidReason, blame: 'payer' })
  })

  it.each(['a_reason_of_tomorrow', 'invalid_exact_evm_transaction_simulation_failed', 'constructor', '', undefined])(
    'never blames the payer for %s',
    async (invalidReason) => {
      expect(await verify({ isValid: false, invalidReason })).toMatchObject({ kind: 'rejected', blame: 'operator' })
    },
  )

  it.each([
    ['a 5xx', { isValid: false, invalidReason: 'x' }, 503],
    ['a 4xx without a verdict', { error: 'no' }, 404],
    ['an answer without a verdict', {}, 200],
    ['a verdict of another type', { isValid: 'true' }, 200],
    ['no JSON', 'ok', 200],
  ])('is unavailable on %s', async (_title, body, status) => {
    expect((await verify(body, status)).kind).toBe('unavailable')
  })
})

describe('supported', () => {
  it('reads the list of kinds', async () => {
    const kinds = [{ x402Version: 2, scheme: 'exact', network }]
    const client = await clientOf(answering(200, { kinds, extensions: [], signers: {} }))
    expect(await client.supported()).toEqual({ kind: 'supported', response: { kinds, extensions: [], signers: {} } })
  })
})

describe('the table of refusals', () => {
  it('names reasons that the installed official facilitator has', () => {
    // A name that it changes would silently turn refusals into unknowns.
    const entry = createRequire(import.meta.url).resolve('@x402/evm/exact/facilitator')
    const source = readFileSync(entry, 'utf8')
    const official = REFUSAL_REASONS.filter((reason) => reason !== TRANSFER_GAS_LIMIT_EXCEEDED)
    for (const reason of official) expect(source).toContain(`"${reason}"`)
  })
})
