import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { auditorEnvironment, auditStack, connectChain, freePort, fundWallet } from '@turnpike/local'
import { chat, clearFaults, post, quoteAndSign, setFaults, until } from '@turnpike/testing'
import { Client } from 'pg'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { gatewaysReady, stackNow } from './stack-under-test.ts'
import { damaging, type PaidRows, payAndFind } from './testing/paid-rows.ts'

type Entry = { code?: string; detail?: string; jobId?: string; transaction?: string; receiptId?: string; paymentId?: string }
type Report = {
  transfers: number
  receipts: number
  results: number
  expiredResults: number
  differenceCount: number
  differences: Entry[]
  refunds: (Entry & { isListed: boolean })[]
  foreign: (Entry & { isAuthorized: boolean })[]
}

const TOKEN = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transfer(address to, uint256 value) returns (bool)',
])
const home = inject('stackHome')
const stack = stackNow()
const url = `${stack.baseUrl}/v1/chat/completions`
const chain = connectChain(stack.chain.rpcUrl)
let wallet: Awaited<ReturnType<typeof fundWallet>>
let database: Client
let from: string[]

beforeAll(async () => {
  // It runs first, beside the last of what starts.
  await gatewaysReady()
  wallet = await fundWallet(stack, 20)
  database = new Client({ connectionString: stack.databaseUrl })
  await database.connect()
  // Other tests of this stack have their own ends.
  from = ['--from', String((await chain.getBlockNumber()) + 1n)]
})
afterAll(() => database?.end())

async function audited(env: Record<string, string> = {}, args: string[] = from): Promise<Report & { status: number | null }> {
  const { status, stdout, stderr } = await auditStack(home, ['--json', ...args], { env })
  if (stdout === '') throw new Error(stderr)
  return { ...(JSON.parse(stdout) as Report), status }
}
const pay = () => payAndFind(stack, database, wallet)
/** What was found about one paid request, sorted. */
const codesOf = ({ differences }: Report, paid: PaidRows) =>
  differences
    .filter(
      ({ jobId, transaction, receiptId }) =>
        jobId === paid.jobId || transaction === paid.transaction || receiptId === paid.receiptId,
    )
    .map(({ code }) => code)
    .sort()

describe('npm run audit', () => {
  it('finds nothing where nothing is wrong, and says so in its last line and its status', async () => {
    for (let at = 0; at < 3; at++) await pay()
    const report = await audited()
    expect(report).toMatchObject({ status: 0, transfers: 3, receipts: 3, results: 3, differences: [], refunds: [], foreign: [] })
    const { status, stdout } = await auditStack(home, from)
    expect(status).toBe(0)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('3 transfers, 3 receipts, 3 results checked, 0 differences')
  })

  it('finds every kind of damage to the ledger, each with its ids, and nothing else', async () => {
    const hash = `0x${'ab'.repeat(32)}`
    const alter = (table: string, set: string) => (paid: PaidRows) => `UPDATE ${table} SET ${set} WHERE job_id = '${paid.jobId}'`
    const remove = (table: string) => (paid: PaidRows) => `DELETE FROM ${table} WHERE job_id = '${paid.jobId}'`
    const inDocument = (path: string, value: string) =>
      alter('receipts', `document = jsonb_set(document::jsonb, '{${path}}', '"${value}"')::json`)
    const copyPayment =
      (change: string) =>
      ({ jobId }: PaidRows) =>
        `CREATE TEMP TABLE copy AS SELECT * FROM payments WHERE job_id = '${jobId}'; UPDATE copy SET id = gen_random_uuid(), ${change};
       INSERT INTO payments SELECT * FROM copy; DROP TABLE copy`
    const undecided = "state = 'unknown', next_check_at = now() + interval '1 hour'"
    const damages: Record<string, [sql: ((paid: PaidRows) => string)[], ...codes: string[]]> = {
      'no receipt': [[remove('receipts')], 'receipt_missing'],
      'no payment': [[remove('payments')], 'receipt_without_payment'],
      'no job': [[remove('jobs')], 'job_missing', 'result_missing'],
      'no result': [[remove('results')], 'result_missing'],
      'nothing at all': [
        [
          ({ nonce }) => `DELETE FROM authorizations WHERE nonce = '${nonce}'`,
          ...['payments', 'receipts', 'jobs', 'results'].map(remove),
        ],
        'transfer_unknown',
      ],
      'neither payment nor receipt': [[remove('payments'), remove('receipts')], 'transfer_without_payment'],
      'another amount settled': [
        [alter('payments', 'amount_atomic = 2001')],
        'amount_differs',
        'amount_differs',
        'amount_differs',
      ],
      'another amount quoted': [[alter('jobs', 'amount_atomic = 1999')], 'amount_differs'],
      'another amount on the receipt': [[inDocument('price,amount_atomic', '1')], 'amount_differs', 'receipt_signature_invalid'],
      'another response hash on the receipt': [
        [inDocument('response_sha256', '0'.repeat(64))],
        'receipt_signature_invalid',
        'result_differs',
      ],
      'no receipt in the receipt': [[alter('receipts', "document = '{}'")], 'receipt_differs'],
      'another signature': [[inDocument('signature', 'a..b')], 'receipt_signature_invalid'],
      'another transaction': [[alter('payments', `transaction = '${hash}'`)], 'receipt_differs', 'transaction_differs'],
      'another payer': [[alter('receipts', "payer = '0x00'")], 'party_differs'],
      'other bytes of the result': [[alter('results', "body = '\\x00'")], 'result_damaged'],
      'another hash beside the result': [[alter('results', `sha256 = '${'0'.repeat(64)}'`)], 'result_differs'],
      'a payment that never was': [
        [copyPayment(`key_hash = 'k', nonce = '${hash}', transaction = '${hash}'`)],
        'settled_without_transfer',
      ],
      'a second payment of one authorization': [[copyPayment("key_hash = 'l'")], 'authorization_settled_twice'],
      'a second payment of one key': [
        [copyPayment(`nonce = '0x${'cd'.repeat(32)}', transaction = '${hash}'`)],
        'key_settled_twice',
        'settled_without_transfer',
      ],
      'a receipt that never was': [
        [
          ({ jobId }) =>
            `INSERT INTO receipts (id, job_id, payment_id, payer, nonce, transaction, amount_atomic, document)
             SELECT gen_random_uuid(), '${'f'.repeat(64)}', gen_random_uuid(), payer, '${hash}', transaction, 1, document
             FROM receipts WHERE job_id = '${jobId}'`,
        ],
        'receipt_without_payment',
      ],
      'a payment without a decision': [[remove('receipts'), alter('payments', undecided)], 'payment_undecided'],
      'a void payment that was paid': [
        [remove('receipts'), alter('payments', "state = 'void', watched = false")],
        'late_transfer_not_listed',
      ],
      'a refund for nothing': [
        [copyPayment(`state = 'void', nonce = '${hash}', late_transaction = '${hash}'`)],
        'late_transfer_not_on_chain',
      ],
      'a refund that is due': [[remove('receipts'), alter('payments', "state = 'void', late_transaction = transaction")]],
      'a result past its time': [[remove('results'), alter('payments', "decided_at = now() - interval '8 days'")]],
    }
    const cases: { title: string; sql: ((paid: PaidRows) => string)[]; codes: string[]; paid: PaidRows }[] = []
    for (const [title, [sql, ...codes]] of Object.entries(damages))
      cases.push({ title, sql, codes: codes.sort(), paid: await pay() })

    await damaging(stack.databaseUrl, async (run) => {
      for (const { sql, paid } of cases) for (const statement of sql) await run(statement(paid))
      const report = await audited({ AUDIT_UNDECIDED_WAIT_MS: '0' })
      for (const { title, codes, paid } of cases) expect(codesOf(report, paid), title).toEqual(codes)
      expect(report.status).toBe(1)
      expect(report.differenceCount).toBe(cases.flatMap(({ codes }) => codes).length)
      expect(report.refunds.map(({ jobId }) => jobId)).toEqual([cases.find(({ title }) => title.includes('is due'))?.paid.jobId])
      expect(report.expiredResults).toBe(1)
      const text = await auditStack(home, from, { env: { AUDIT_UNDECIDED_WAIT_MS: '0' } })
      for (const { code = '', detail = '', jobId = '', paymentId = '' } of report.differences) {
        for (const part of [code, detail, jobId, paymentId]) expect(text.stdout).toContain(part)
      }
      expect(text.stdout.trimEnd()).toMatch(new RegExp(`, ${report.differenceCount} differences$`))
    })
    expect(await audited()).toMatchObject({ status: 0, differences: [] })
  })

  it('finds a receipt that its owner cannot get', async () => {
    const paid = await pay()
    const report = await audited({ RECEIPT_TOKEN_KEYS: `receipt-1:${randomBytes(32).toString('base64')}` })
    expect(codesOf(report, paid)).toEqual(['receipt_not_served'])
  })

  it('finds a transfer that nothing was delivered for', async () => {
    const marker = randomUUID()
    const call = { url, body: chat(`Failing ${marker}`), key: randomUUID() }
    await setFaults(stack, [{ upstream: 'gemini', match: { bodyIncludes: marker }, kind: 'status-429' }])
    const payment = await quoteAndSign(wallet, call)
    expect((await post({ ...call, payment })).status).toBe(503)
    await clearFaults(stack)
    const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: Signed }
    const before = await chain.snapshot()
    const transaction = await transferAuthorized(payload)
    const report = await audited()
    await chain.revert({ id: before })
    expect(report.differences).toMatchObject([{ code: 'transfer_without_payment', transaction }])
    expect(await audited()).toMatchObject({ status: 0, differences: [] })
  })

  it('lists what strangers send apart, by an authorization or without', async () => {
    const stranger = await fundWallet(stack, 1)
    const call = { url, body: chat('Never sent'), key: randomUUID() }
    const payment = await quoteAndSign(stranger, call)
    const { payload } = JSON.parse(Buffer.from(payment, 'base64').toString()) as { payload: Signed }
    const authorized = await transferAuthorized(payload)
    await chain.setBalance({ address: stranger.address, value: 10n ** 18n })
    const plain = await chain.sendTransaction({
      account: privateKeyToAccount(stranger.privateKey),
      chain: null,
      to: stack.chain.usdc,
      data: encodeFunctionData({ abi: TOKEN, functionName: 'transfer', args: [stack.payTo as Hex, 5n] }),
    })
    await chain.waitForTransactionReceipt({ hash: plain })
    const report = await audited()
    expect(report.status).toBe(0)
    expect(report.foreign).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ transaction: authorized, isAuthorized: true }),
        expect.objectContaining({ transaction: plain, isAuthorized: false, amountAtomic: '5' }),
      ]),
    )
    expect(report.foreign).toHaveLength(2)
  })

  it('says that it could not be carried out, with a status of its own', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    const away = await auditStack(home, from, { env: { CHAIN_RPC_URL: nobody } })
    expect(away).toMatchObject({ status: 2, stdout: '' })
    expect(away.stderr).toContain('could not be carried out')
    expect((await auditStack(home, ['--from', '999999999'])).status).toBe(2)
    expect((await auditStack(home, ['--nonsense'])).status).toBe(2)
  })

  it('goes on by itself with its last result as metrics, and ends in order', async () => {
    const port = await freePort()
    const main = join(import.meta.dirname, '../../../services/auditor/src/main.ts')
    const env = { ...process.env, ...auditorEnvironment(home), INTERNAL_PORT: String(port), LOG_FORMAT: 'json' }
    const auditor = spawn(process.execPath, [main, '--every', '1'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const ended = once(auditor, 'exit')
    try {
      const metric = async (name: string) => {
        const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
        return Number(new RegExp(`^turnpike_audit_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1])
      }
      const first = await until('an audit', () => metric('last_run_timestamp_seconds'))
      const before = await metric('transfers')
      expect(before).toBeGreaterThan(0)
      await pay()
      await until('the next audit', async () => (await metric('last_run_timestamp_seconds')) > first)
      await until('the transfer', async () => (await metric('transfers')) === before + 1)
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    } finally {
      auditor.kill('SIGTERM')
    }
    expect(await ended).toEqual([0, null])
  })
})

type Signed = {
  signature: Hex
  authorization: { from: Hex; to: Hex; value: string; validAfter: string; validBefore: string; nonce: Hex }
}

/** Sends somebody's signed transfer from an account that has nothing to do with us. */
async function transferAuthorized({ authorization, signature }: Signed): Promise<Hex> {
  const account = privateKeyToAccount(generatePrivateKey())
  await chain.setBalance({ address: account.address, value: 10n ** 18n })
  const { from: payer, to, value, validAfter, validBefore, nonce } = authorization
  const data = encodeFunctionData({
    abi: TOKEN,
    functionName: 'transferWithAuthorization',
    args: [payer, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature],
  })
  const hash = await chain.sendTransaction({ account, chain: null, to: stack.chain.usdc, data })
  await chain.waitForTransactionReceipt({ hash })
  return hash
}
