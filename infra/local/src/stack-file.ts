import { readFileSync, rmSync } from 'node:fs'
import type { Hex } from 'viem'
import { StackFailure } from './failure.ts'
import type { Wallet } from './fund-wallet.ts'
import type { Home } from './home.ts'
import { writeAtomically } from './write-atomically.ts'

/** What a running stack says about itself. The file is there when, and only when, everything answers. */
export interface Stack {
  readonly baseUrl: string
  readonly gateways: readonly string[]
  readonly payTo: string
  readonly wallet: Wallet
  readonly chain: { readonly rpcUrl: string; readonly chainId: number; readonly usdc: Hex }
  readonly facilitatorUrl: string
  readonly kafka: { readonly brokers: readonly string[] }
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly s3: {
    readonly endpoint: string
    readonly region: string
    readonly bucket: string
    readonly accessKeyId: string
    readonly secretAccessKey: string
  }
  /** Null when every upstream is a real one. */
  readonly sandbox: { readonly adminUrl: string } | null
  /** The authority of a stack whose connections are encrypted; absent of a plain one. */
  readonly guarded?: { readonly caFile: string }
  readonly processes: readonly StackProcess[]
}

export interface StackProcess {
  readonly name: string
  readonly replica: number
  readonly pid: number
  /** /healthz, /readyz and /metrics. */
  readonly internalUrl?: string
  /** Relative to the home. */
  readonly log: string
}

export function writeStack(home: Home, stack: Stack): void {
  writeAtomically(home.stackFile, stack)
}

export function removeStack(home: Home): void {
  rmSync(home.stackFile, { force: true })
}

export function readStack(home: Home): Stack | undefined {
  try {
    return JSON.parse(readFileSync(home.stackFile, 'utf8')) as Stack
  } catch {
    return undefined
  }
}

export function runningStack(home: Home): Stack {
  const stack = readStack(home)
  if (stack === undefined)
    throw new StackFailure(`No stack runs on ${home.folder}; start it with npm start, or set TURNPIKE_HOME.`)
  return stack
}
