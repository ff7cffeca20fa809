import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { VOICE_ALIASES } from '@turnpike/contracts'
import { connectChain, freePort, fundWallet, startPart, type Wallet } from '@turnpike/local'
import { startSandbox } from '@turnpike/sandbox'
import { until } from '@turnpike/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { SANDBOX_KEY } from '../beside/start-beside.ts'
import { CHECKOUT } from '../cluster.ts'

/** Everything that two releases share while they run side by side. */
export type SharedParts = {
  brokers: readonly string[]
  rpcUrl: string
  payTo: string
  signer: string
  sandboxAdminUrl: string
  /** What makes a stack use them. */
  env: Readonly<Record<string, string>>
  fund(count: number, usdc: number): Promise<Wallet[]>
  stop(): Promise<void>
}

const VOICE_ID_LENGTH = 20

export async function startSharedParts(folder: string): Promise<SharedParts> {
  const toStop: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const each of toStop.splice(0).reverse()) await each()
  }
  const part = async <Name extends Parameters<typeof startPart>[0]>(name: Name) => {
    const running = await startPart(name, { dir: join(folder, name) })
    toStop.push(() => running.stop())
    return running
  }
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const [kafka, postgres, redis, s3, chain] = [
      await part('kafka'),
      await part('postgres'),
      await part('redis'),
      await part('s3'),
      await part('chain'),
    ]
    const sandbox = await startSandbox({ geminiApiKey: SANDBOX_KEY, elevenlabsApiKey: SANDBOX_KEY })
    toStop.push(sandbox.close)
    const signerKey = generatePrivateKey()
    const signer = privateKeyToAddress(signerKey)
    const payTo = privateKeyToAddress(generatePrivateKey())
    await connectChain(chain.rpcUrl).setBalance({ address: signer, value: 10n ** 21n })
    const facilitator = await startFacilitator({
      logFile: join(folder, 'facilitator.log'),
      env: { CHAIN_RPC_URL: chain.rpcUrl, SIGNER_PRIVATE_KEY: signerKey, PAY_TO: payTo },
    })
    toStop.push(facilitator.stop)
    const voices = VOICE_ALIASES.map((alias) => [alias, `Sandbox${alias}`.padEnd(VOICE_ID_LENGTH, '0')])
    return {
      brokers: kafka.brokers,
      rpcUrl: chain.rpcUrl,
      payTo,
      signer,
      sandboxAdminUrl: sandbox.adminUrl,
      env: {
        DATABASE_URL: postgres.url,
        REDIS_URL: redis.url,
        KAFKA_BROKERS: kafka.brokers.join(','),
        S3_ENDPOINT: s3.endpoint,
        S3_REGION: s3.region,
        S3_BUCKET: s3.bucket,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
        CHAIN_RPC_URL: chain.rpcUrl,
        PAY_TO: payTo,
        FACILITATOR_URL: facilitator.url,
        GEMINI_API_KEY: SANDBOX_KEY,
        GEMINI_BASE_URL: sandbox.geminiUrl,
        ELEVENLABS_API_KEY: SANDBOX_KEY,
        ELEVENLABS_BASE_URL: sandbox.elevenlabsUrl,
        VOICES: JSON.stringify(Object.fromEntries(voices)),
      },
      fund: (count, usdc) => Promise.all(Array.from({ length: count }, () => fundWallet({ chain }, usdc))),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startFacilitator(options: {
  logFile: string
  env: Readonly<Record<string, string>>
}): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const internalPort = await freePort(new Set([port]))
  const log = openSync(options.logFile, 'a', 0o600)
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(CHECKOUT, 'services/facilitator/src/main.ts')],
    {
      env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), INTERNAL_PORT: String(internalPort), ...options.env },
      stdio: ['ignore', log, log],
    },
  )
  closeSync(log)
  const gone = once(child, 'exit')
  await until('the facilitator is ready', async () => (await fetch(`http://127.0.0.1:${internalPort}/readyz`)).ok)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM')
      await gone
    },
  }
}
