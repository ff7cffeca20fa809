import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Stack, type StackProcess, startStack, startStackParts } from '@turnpike/local'
import { callsWith, chat, post, type TestWallet, transfersToSeller, until } from '@turnpike/testing'
import { expect } from 'vitest'
import { newKey } from '../contract-wallet.ts'
import { DIALECTS, type Dialect, dialectOf, PATHS } from '../dialects.ts'
import { expectFailure, type Failure } from '../error-answer.ts'
import { STRICT_FAILURES } from '../failure-rows.ts'
import { CLIENT_ERRORS } from '../official-clients.ts'
import { type Attempt, attemptOf, throughClient } from '../walk-failure.ts'
import { openSafetyService, type SafetyService } from './safety-service.ts'

export const LIMITS = {
  newPayerAtomic: 10_000n,
  totalAtomic: 20_000n,
  requestsPerMinute: 30,
  maxInFlight: 3,
  providerTimeoutMs: 8_000,
} as const

/** A stack of its own whose operator allows little and waits for nobody: small ceilings, short waits, safety checks, one proxy. */
export type StrictStack = {
  home: string
  stack: Stack
  dialect: Dialect
  url: string
  /** The same stack, asked in this dialect. */
  speaking(dialect: Dialect): StrictStack
  denied: TestWallet
  safety: SafetyService
  /** A request of a fresh payer, through the proxy from an address of its own, at about that price. */
  attempt(options?: { usdc?: number; maxTokens?: number; text?: string }): Promise<Attempt>
  processes(name: string): StackProcess[]
  close(): Promise<void>
}

export async function openStrictStack(): Promise<StrictStack> {
  const home = mkdtempSync(join(tmpdir(), 'turnpike-strict-'))
  const safety = await openSafetyService()
  const denied = newKey()
  const parts = await startStackParts(home)
  const handle = await startStack({
    home,
    port: await freePort(),
    env: {
      ...parts.env,
      GEMINI_API_KEY: undefined,
      ELEVENLABS_API_KEY: undefined,
      TURNPIKE_BLOCK_TIME: undefined,
      NEW_PAYER_EXPOSURE_CEILING_ATOMIC: String(LIMITS.newPayerAtomic),
      TOTAL_EXPOSURE_CEILING_ATOMIC: String(LIMITS.totalAtomic),
      CLIENT_RATE_LIMIT_PER_MINUTE: String(LIMITS.requestsPerMinute),
      MAX_IN_FLIGHT: String(LIMITS.maxInFlight),
      TRUSTED_PROXIES: '1',
      PAYER_DENY_LIST: denied.address,
      PAYER_SCREENING_URL: safety.screeningUrl,
      MODERATION_URL: safety.moderationUrl,
      SAFETY_TIMEOUT_MS: '2000',
      TURNPIKE_PROVIDER_TIMEOUT_MS: String(LIMITS.providerTimeoutMs),
      WAIT_BEYOND_DEADLINE_MS: '6000',
      WAIT_FOR_UNKNOWN_SETTLEMENT_MS: '500',
      SETTLE_TIMEOUT_MS: '4000',
    },
  })
  let clients = 0
  const speaking = (dialect: Dialect): StrictStack => {
    const url = `${handle.stack.baseUrl}${PATHS[dialect]}`
    return {
      home,
      stack: handle.stack,
      dialect,
      url,
      speaking,
      denied,
      safety,
      async attempt({ usdc = 1, maxTokens = 64, text = '' } = {}) {
        const body = (marker: string) => chat(`Strict ${marker}${text}`, { max_tokens: maxTokens })
        const made = await attemptOf(handle.stack, url, { usdc, body })
        return { ...made, headers: { 'x-forwarded-for': `10.0.${++clients >> 8}.${clients & 255}` } }
      },
      processes: (name) => handle.stack.processes.filter((process) => process.name === name),
      async close() {
        safety.close()
        await handle.stop()
        await parts.stop()
        rmSync(home, { recursive: true, force: true })
      },
    }
  }
  return speaking(DIALECTS[0])
}

const met = new Set<string>()

/** The row of the contract, walked. */
export async function expectStrict(
  response: Response,
  code: keyof typeof STRICT_FAILURES,
  but: Partial<Failure> = {},
  dialect = dialectOf(response.url),
): Promise<void> {
  met.add(`${dialect} ${code}`)
  await expectFailure(response, { ...STRICT_FAILURES[code], ...but }, dialect)
}

/** The rows that nothing has walked in this dialect. */
export function unmetStrictFailures(dialect: Dialect): string[] {
  return Object.keys(STRICT_FAILURES).filter((code) => !met.has(`${dialect} ${code}`))
}

/** The official client with its default retries meets the same failure each time; nothing runs and nothing is charged. */
export async function expectStrictThroughClient(
  attempt: Attempt,
  code: keyof typeof STRICT_FAILURES,
  but: Partial<Failure> = {},
): Promise<void> {
  const { error, answers } = await throughClient(attempt)
  const dialect = dialectOf(attempt.url)
  expect(error).toBeInstanceOf(CLIENT_ERRORS[dialect])
  expect(answers).toHaveLength(STRICT_FAILURES[code].retryable ? 3 : 1)
  for (const answer of answers) await expectStrict(answer, code, but, dialect)
}

export async function expectNothingDone({ stack, marker, wallet }: Attempt): Promise<void> {
  expect(await callsWith(stack, marker)).toEqual([])
  expect(await transfersToSeller(stack, wallet.address)).toEqual([])
}

/** The request that failed goes through with the very signature that it failed with. */
export async function expectPaid(attempt: Attempt, payment: string): Promise<void> {
  const response = await post({ ...attempt, payment })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  expect(text).toContain(attempt.marker)
  expect(await transfersToSeller(attempt.stack, attempt.wallet.address)).toHaveLength(1)
}

export async function isCalled({ stack, marker }: Attempt): Promise<void> {
  await until('the model is called', async () => (await callsWith(stack, marker)).length > 0)
}

/** Stops the processes while the work runs. What they were doing goes on afterwards. */
export async function whileStopped<T>(processes: readonly StackProcess[], work: () => Promise<T>): Promise<T> {
  for (const { pid } of processes) process.kill(pid, 'SIGSTOP')
  try {
    return await work()
  } finally {
    for (const { pid } of processes) process.kill(pid, 'SIGCONT')
  }
}
