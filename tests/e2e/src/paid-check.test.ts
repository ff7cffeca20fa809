import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fundWallet } from '@turnpike/local'
import { transfersToSeller } from '@turnpike/testing'
import { expect, it } from 'vitest'
import { stackNow } from './stack-under-test.ts'

const program = join(import.meta.dirname, '../../../services/paid-check/src/main.ts')
const stack = stackNow()

async function runPaidCheck(env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [program], {
    env: { PATH: process.env.PATH, GATEWAY_URL: stack.baseUrl, PAY_TO: stack.payTo, ...env },
  })
  return stdout.trim().split('\n')
}

it('the check of an installation pays once, gets its answer twice, and its receipt', async () => {
  const wallet = await fundWallet(stack, 1)
  const lines = await runPaidCheck({ WALLET_PRIVATE_KEY: wallet.privateKey })
  expect(lines.at(1)).toMatch(/^paid in transaction 0x[0-9a-f]{64}, receipt [0-9a-f-]{36}$/)
  expect(lines.slice(2)).toEqual(['the same signed request comes back as it was', 'its receipt can be fetched'])
  expect(await transfersToSeller(stack, wallet.address)).toHaveLength(1)
})

it('the check of an installation pays nothing without a wallet, and never somebody else or more than it may', async () => {
  expect((await runPaidCheck({})).at(-1)).toBe('no wallet is configured: nothing is paid')
  await expect(runPaidCheck({ PAY_TO: `0x${'1'.repeat(40)}` })).rejects.toThrow(/asks to pay 0x/)
  const wallet = await fundWallet(stack, 1)
  const tooMuch = runPaidCheck({ WALLET_PRIVATE_KEY: wallet.privateKey, PAID_CHECK_MAX_AMOUNT_ATOMIC: '1' })
  await expect(tooMuch).rejects.toThrow(/is more than the 1 that may be paid/)
  expect(await transfersToSeller(stack, wallet.address)).toEqual([])
})
