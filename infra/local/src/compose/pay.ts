// node /app/pay.mjs: one paid request with the demo wallet through the official x402 client.
import { readFileSync } from 'node:fs'
import { payOnce } from '../demo.ts'
import type { Wallet } from '../fund-wallet.ts'
import { keyFile, localConfig } from './config.ts'

const config = localConfig(process.env)
const wallet = JSON.parse(readFileSync(keyFile(config, 'wallet.json'), 'utf8')) as Wallet
const paid = await payOnce({ baseUrl: config.gatewayUrl, wallet })
process.stdout.write(`${JSON.stringify(paid, null, 2)}\n`)
