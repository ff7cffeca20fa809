import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fundWallet } from '@turnpike/local'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'
import { type PaidRows, payAndFind } from './testing/paid-rows.ts'

type Receipt = { price: { amount_atomic: string }; payment: { transaction: string; nonce: string } }

const PROGRAM = join(import.meta.dirname, '../../../packages/verify-receipt/src/main.ts')
const stack = stackNow()
const folder = mkdtempSync(join(tmpdir(), 'verify-receipt-'))
const file = (name: string) => join(folder, name)
let paid: PaidRows
let other: PaidRows
let receipt: Receipt

beforeAll(async () => {
  const wallet = await fundWallet(stack, 1)
  const database = new Client({ connectionString: stack.databaseUrl })
  await database.connect()
  paid = await payAndFind(stack, database, wallet)
  other = await payAndFind(stack, database, wallet)
  await database.end()
  const response = await fetch(`${stack.baseUrl}/v1/receipts/${paid.receiptId}`, {
    headers: { authorization: `Bearer ${paid.token}` },
  })
  receipt = (await response.json()) as Receipt
  writeFileSync(file('receipt.json'), JSON.stringify(receipt, null, 2))
  writeFileSync(file('response.json'), paid.body)
  writeFileSync(file('jwks.json'), await (await fetch(`${stack.baseUrl}/.well-known/jwks.json`)).text())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function verify(args: string[], stdin = ''): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, TURNPIKE_HOME: inject('stackHome') }
  const child = spawn(process.execPath, [PROGRAM, ...args], { env, cwd: folder, stdio: 'pipe' })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString()
  })
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { status, ...output }
}

describe('npm run verify-receipt', () => {
  it('holds a receipt against the issuer’s keys, its response and the chain, and says what it looked at', async () => {
    const all = await verify(['receipt.json', '--response', 'response.json', '--rpc', stack.chain.rpcUrl])
    expect(all, all.stdout + all.stderr).toMatchObject({ status: 0, stderr: '' })
    expect(all.stdout).toContain(`Receipt ${paid.receiptId}`)
    expect(all.stdout).toContain(`it moved 2000 atomic USDC from ${paid.payer}`)
    expect(all.stdout.match(/^ {2}yes/gm)).toHaveLength(6)
    expect(all.stdout.trimEnd()).toMatch(/The receipt holds\.$/)
  })

  it('reads standard input, a file of keys or an address of keys, and says what it did not look at', async () => {
    for (const keys of ['jwks.json', `${stack.baseUrl}/.well-known/jwks.json`]) {
      const one = await verify(['-', '--jwks', keys], JSON.stringify(receipt))
      expect(one.status, one.stderr).toBe(0)
      expect(one.stdout.match(/not checked/g)).toHaveLength(2)
    }
  })

  it('does not hold when the receipt, the response or the chain says something else', async () => {
    const changed = { ...receipt, price: { ...receipt.price, amount_atomic: '1' } }
    expect((await verify(['-'], JSON.stringify(changed))).status).toBe(1)
    writeFileSync(file('other.json'), other.body)
    expect((await verify(['receipt.json', '--response', 'other.json'])).status).toBe(1)
    const chain = ['--rpc', stack.chain.rpcUrl]
    const claims: [object, string][] = [
      [{ transaction: other.transaction }, 'did not use the authorization'],
      [{ transaction: `0x${'0'.repeat(64)}` }, 'knows no transaction'],
      [{ pay_to: paid.payer }, 'another transfer'],
    ]
    for (const [claim, says] of claims) {
      const result = await verify(['-', ...chain], JSON.stringify({ ...receipt, payment: { ...receipt.payment, ...claim } }))
      expect(result.status).toBe(1)
      expect(result.stdout).toContain(says)
    }
  })

  it('has a status of its own for what cannot be checked', async () => {
    const cases = [
      [],
      ['absent.json'],
      ['receipt.json', '--jwks', 'http://127.0.0.1:1/'],
      ['receipt.json', '--jwks', 'receipt.json'],
    ]
    for (const args of [...cases, ['receipt.json', '--rpc', 'http://127.0.0.1:1/'], ['receipt.json', '--nonsense']]) {
      const result = await verify(args)
      expect(result.status, args.join(' ')).toBe(2)
      expect(result.stderr).not.toBe('')
    }
    expect((await verify(['-'], 'no JSON')).status).toBe(2)
  })
})
