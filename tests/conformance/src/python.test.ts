import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fundWallet, obtainPython } from '@turnpike/local'
import { beforeAll, describe, expect, it } from 'vitest'
import { PNG_BASE64, stackNow } from './stack.ts'

const INSTALL_TIMEOUT_MS = 600_000
const PYTHON = join(import.meta.dirname, '../python')
const stack = stackNow()
let python: string

beforeAll(async () => {
  const deps = { say: (line: string) => console.log(`   ${line}`), signal: AbortSignal.timeout(INSTALL_TIMEOUT_MS) }
  python = await obtainPython(deps, join(PYTHON, 'requirements.txt'))
}, INSTALL_TIMEOUT_MS)

type Check = { name: string; error: string | null }

async function checksOf(script: string): Promise<Check[]> {
  const [wallet, poor] = await Promise.all([fundWallet(stack, 20), fundWallet(stack, 0.000001)])
  const child = spawn(python, [join(PYTHON, script)], {
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      BASE_URL: stack.baseUrl,
      PRIVATE_KEY: wallet.privateKey,
      POOR_PRIVATE_KEY: poor.privateKey,
      PNG_BASE64,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  await once(child, 'close')
  return JSON.parse(output) as Check[]
}

describe('the official Python client of', () => {
  it.each([
    ['OpenAI', 'openai_checks.py', 10],
    ['Anthropic', 'anthropic_checks.py', 10],
  ])('%s pays, and passes every one of its checks', async (_, script, count) => {
    const checks = await checksOf(script)
    expect(checks.filter(({ error }) => error !== null)).toEqual([])
    expect(checks).toHaveLength(count)
  })
})
