import { parseArgs } from 'node:util'
import { sentenceOf } from './failure.ts'
import { fundWallet } from './fund-wallet.ts'
import { homeAt, homeFolder } from './home.ts'
import { runningStack } from './stack-file.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { usdc: { type: 'string', default: '25' } } })
const usdc = Number(values.usdc)
if (positionals[0] !== 'new' || positionals.length !== 1 || !(usdc > 0 && usdc <= 1e9)) {
  process.stderr.write('Usage: npm run wallet -- new --usdc 25\n')
  process.exit(2)
}
try {
  const stack = runningStack(homeAt(homeFolder(process.env)))
  process.stdout.write(`${JSON.stringify({ ...(await fundWallet(stack, usdc)), usdc: String(usdc) })}\n`)
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exitCode = 1
}
