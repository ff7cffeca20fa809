import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StackFailure } from '../failure.ts'
import { checkoutRoot } from '../home.ts'
import { isOk } from '../wire/is-ok.ts'
import type { Unit, UnitKind } from './unit.ts'

export interface NodeProgram {
  readonly name: string
  readonly replica: number
  readonly kind: UnitKind
  /** From the checkout's root. */
  readonly main: string
  readonly env: Readonly<Record<string, string>>
  readonly needs: readonly string[]
  readonly stopRank: number
  readonly where: string
  readonly internalUrl?: string
  /** Answers 200 when it is usable. */
  readonly readyUrl?: string
  /** PEM of the authority behind an https address. */
  readonly ca?: string | undefined
}

/** One of our own programs. */
export function nodeUnit(program: NodeProgram): Unit {
  const { name, replica, kind, needs, stopRank, where, readyUrl, ca } = program
  return {
    name,
    replica,
    kind,
    needs,
    stopRank,
    where,
    ...(program.internalUrl === undefined ? {} : { internalUrl: program.internalUrl }),
    readyTimeoutMs: 45_000,
    obtain: async () => {
      if (!existsSync(join(checkoutRoot, program.main))) throw new StackFailure(`This checkout has no ${program.main}.`)
    },
    launch: async () => ({
      program: process.execPath,
      args: [
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=TimeoutNegativeWarning',
        // As in the images: requests leave much behind that dies young.
        '--max-semi-space-size=64',
        join(checkoutRoot, program.main),
      ],
      cwd: checkoutRoot,
      env: { ...inheritedEnvironment(), ...program.env },
      stopSignal: 'SIGTERM',
    }),
    answers: async () => readyUrl === undefined || (await isOk(readyUrl, ca)),
    fill: async () => {},
  }
}

/**
 * A program gets the variables of its own contract and, so that one can try other settings of it, what else the caller's environment
 * has; never a secret that belongs to another one.
 */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && !ownedByTheStack.has(name)),
  )
}

const ownedByTheStack = new Set([
  ...['PORT', 'INTERNAL_PORT', 'HOST', 'PUBLIC_BASE_URL', 'LEDGER_URL', 'INTERNAL_TOKEN', 'CONTENT_KEYS', 'PAY_TO'],
  ...[
    'DATABASE_URL',
    'MIGRATION_DATABASE_URL',
    'REDIS_URL',
    'KAFKA_BROKERS',
    'CHAIN_RPC_URL',
    'FACILITATOR_URL',
    'FACILITATOR_TOKEN',
    'AUDIT_TOKEN',
    'SIGNER_PRIVATE_KEY',
  ],
  ...[
    'RECEIPT_TOKEN_KEYS',
    'RECEIPT_SIGNING_KEYS',
    'MEDIA_CAPABILITY_KEYS',
    'VOICES',
    'GEMINI_API_KEY',
    'GEMINI_BASE_URL',
    'ELEVENLABS_API_KEY',
    'ELEVENLABS_BASE_URL',
  ],
  ...['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'S3_FORCE_PATH_STYLE'],
])
