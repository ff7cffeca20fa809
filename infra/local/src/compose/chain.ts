// node /app/main.mjs: the local chain as a container's only program: anvil with Base's USDC in it, the demo wallet and the facilitator's
// signer funded. Healthy when all of that is there.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Wallet } from '../fund-wallet.ts'
import { chainPart, keepWholeState } from '../parts/chain.ts'
import { fundAccounts } from '../units/local-accounts.ts'
import { keyFile, localConfig } from './config.ts'

const keepEveryMs = 10_000

const config = localConfig(process.env)
const part = chainPart({ blockTimeSeconds: config.blockTimeSeconds, listenOn: '0.0.0.0' })
const site = { dir: config.stateFolder, port: config.port, sidePort: 0 }
await part.prepare(config.anvil, site)
const { program, args, env } = part.command(config.anvil, site)
const anvil = spawn(program, args, { env, stdio: ['ignore', 'inherit', 'inherit'] })
anvil.on('exit', (code) => process.exit(code ?? 1))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => anvil.kill('SIGTERM'))

// Compose gives up on a container that never gets healthy.
while (!(await part.answers(site).catch(() => false))) await sleep(50)
await part.fill(site, () => {})
if (existsSync(keyFile(config, 'wallet.json'))) {
  const wallet = JSON.parse(readFileSync(keyFile(config, 'wallet.json'), 'utf8')) as Wallet
  const address = readFileSync(keyFile(config, 'signer-address'), 'utf8') as Wallet['address']
  await fundAccounts(part.address(site).rpcUrl, { wallet, signer: { address } })
}
setInterval(() => keepWholeState(site), keepEveryMs)
createServer((_request, response) => response.end('{"status":"ok"}')).listen(config.internalPort, '0.0.0.0')
process.stdout.write(`the chain is ready on port ${config.port}\n`)
