import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRedis, payerClaims, totalClaims } from '@turnpike/admission'
import { type PartHandle, startPart } from '@turnpike/local'
import { until } from '@turnpike/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { claimExposure, type Exposure } from './claim-exposure.ts'

const PAYER = '0x00000000000000000000000000000000000000aa'
const JOB = 'a'.repeat(64)
const OWED_FOR_MS = 3_600_000

let dir: string
let part: PartHandle & { url: string }
let redis: ReturnType<typeof openRedis>

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gateway-exposure-'))
  part = await startPart('redis', { dir })
  redis = openRedis(part.url, { name: 'test', onError: () => {} })
})
afterAll(async () => {
  redis?.disconnect()
  await part?.stop()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(async () => {
  await until('redis', async () => (await redis.flushall()) === 'OK')
})

function claim({ totalCeilingAtomic, ...exposure }: Partial<Exposure> & { totalCeilingAtomic: bigint }) {
  const payers = payerClaims(redis)
  const deps = {
    payers,
    total: totalClaims(redis),
    balances: { read: async () => ({ atomic: 1_000_000n, version: await payers.version(PAYER) }) },
    newPayerExposureCeilingAtomic: 1_000_000n,
    totalExposureCeilingAtomic: totalCeilingAtomic,
    now: () => Date.now(),
  }
  const authorization = {
    from: PAYER,
    nonce: `0x${'1'.repeat(64)}`,
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 600),
  } as const
  return claimExposure(
    deps,
    { keyHash: 'k', fingerprint: 'f', payment: { authorization } },
    { jobId: JOB, amountAtomic: 40n, leaseMs: 60_000, payerHasHistory: false, paidAlready: false, isOwed: false, ...exposure },
  )
}
const inFlight = async () => Number((await redis.hget(`p:{${PAYER}}`, 'sum')) ?? 0)
const leaseLeftMs = async () => Number(await redis.zscore(`pl:{${PAYER}}`, JOB)) - Date.now()

it('gives back what it claimed when the ceiling of all together refuses a new request', async () => {
  expect(await claim({ totalCeilingAtomic: 39n })).toBe('exposure_limit')
  expect(await inFlight()).toBe(0)
})

it('leaves what a payer owes for a stored result with it, whatever the ceiling of all together says', async () => {
  expect(await claim({ totalCeilingAtomic: 40n })).toBeUndefined()
  await payerClaims(redis).extend(PAYER, JOB, OWED_FOR_MS)
  // Redis lost the sum of all together, and others have filled it since.
  await redis.del('u:{all}', 'ul:{all}', 'ua:{all}')
  expect(await claim({ totalCeilingAtomic: 39n, isOwed: true })).toBe('exposure_limit')
  expect(await inFlight()).toBe(40)
  expect(await leaseLeftMs()).toBeGreaterThan(OWED_FOR_MS - 60_000)
})

it('never shortens the time for which a stored result is owed', async () => {
  await claim({ totalCeilingAtomic: 40n })
  await payerClaims(redis).extend(PAYER, JOB, OWED_FOR_MS)
  await totalClaims(redis).extend(JOB, OWED_FOR_MS)
  expect(await claim({ totalCeilingAtomic: 40n, isOwed: true })).toBeUndefined()
  expect(await leaseLeftMs()).toBeGreaterThan(OWED_FOR_MS - 60_000)
  expect(Number(await redis.zscore('ul:{all}', JOB)) - Date.now()).toBeGreaterThan(OWED_FOR_MS - 60_000)
})
