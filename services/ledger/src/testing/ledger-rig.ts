import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JobEvent, type LookupItem, type OutcomeEvent, TOPICS } from '@turnpike/contracts'
import { type AddressByPart, connectChain, fundWallet, type PartHandle, startPart, type Wallet } from '@turnpike/local'
import { openChainRpc, openFacilitatorClient, readBlockNumber } from '@turnpike/payments'
import { type Ed25519PrivateJwk, openKeyring } from '@turnpike/sealing'
import { createLogger, createMetrics } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import { Client } from 'pg'
import { applyMigrations } from '../apply-migrations.ts'
import { openBlockClock } from '../block-clock.ts'
import { openDatabase } from '../database.ts'
import { ledgerMetrics } from '../ledger-metrics.ts'
import { lookUp } from '../lookup.ts'
import { type LedgerDeps, openLedger } from '../open-ledger.ts'
import { MIGRATIONS, prepareDatabase } from '../prepare-database.ts'
import { startScriptedFacilitator } from './scripted-facilitator.ts'

// Nothing that a test waits for fails because a small machine is slow; what is to fail in time says so itself.
const PATIENCE_MS = 90_000

export type RigLedger = ReturnType<Rig['ledger']>
export type Rig = Awaited<ReturnType<typeof startRig>>

/** Real Postgres, a real chain, a facilitator that pays on it; what the ledger tells others is kept for the test to look at. */
export async function startRig(options: { contentKeys?: string } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'ledger-'))
  const [postgres, chain] = await Promise.all([
    startPart('postgres', { dir: join(dir, 'postgres') }),
    startPart('chain', { dir: join(dir, 'chain') }),
  ])
  const serviceUrl = serviceUrlOf(postgres.url)
  await prepareDatabase({ ownerUrl: postgres.url, serviceUrl })
  const facilitator = await startScriptedFacilitator(chain)
  const database = openDatabase({ url: serviceUrl, connections: 16 })
  const byHand = openDatabase({ url: postgres.url, connections: 2 })
  const keyring = openKeyring(options.contentKeys ?? `k1:${randomBytes(32).toString('base64')}`)
  const told: {
    moved: string[]
    settled: string[]
    owed: string[]
    commits: string[]
    published: { topic: string; value: Buffer }[]
  } = {
    moved: [],
    settled: [],
    owed: [],
    commits: [],
    published: [],
  }
  const rpc = openChainRpc({ url: chain.rpcUrl, timeoutMs: PATIENCE_MS })
  const clients = new Set<{ close(): Promise<void> }>()

  function facilitatorClient(timeoutMs: number) {
    const client = openFacilitatorClient({ url: facilitator.url, timeoutMs, settleTimeoutMs: timeoutMs })
    clients.add(client)
    return client
  }

  function ledger(change: Partial<LedgerDeps> = {}) {
    const now = () => Date.now()
    const opened = openLedger({
      database,
      facilitator: change.facilitator ?? facilitatorClient(PATIENCE_MS),
      chain: rpc,
      keyring,
      store: noObjects,
      publisher: {
        publish: async ({ topic, key, value }) => {
          if (topic === TOPICS.commits) told.commits.push(key)
          else told.published.push({ topic, value })
        },
      },
      notify: {
        keyMoved: async ({ keyHash, jobId, settled }) => {
          told.moved.push(keyHash)
          if (settled) told.settled.push(jobId)
        },
        stillOwed: async ({ keyHash, jobId }) => {
          told.moved.push(keyHash)
          told.owed.push(jobId)
        },
      },
      metrics: ledgerMetrics(createMetrics('ledger')),
      logger: createLogger({ service: 'ledger', format: 'json', level: 'silent' }),
      signingKey: SIGNING_KEY,
      owner: randomUUID(),
      leaseMs: 60_000,
      confirmations: 1,
      confirmWaitMs: 300,
      eventSchema: 'current',
      graceMs: 10_000,
      settlementsAtOnce: 512,
      now,
      blocks: openBlockClock({ readBlockNumber: () => readBlockNumber(rpc), now }),
      ...change,
    })
    return {
      ...opened,
      /** Takes an outcome and waits until the settlement that it began has ended. */
      async take(outcome: OutcomeEvent) {
        await opened.commitOutcome(outcome, { attempt: 1, traceparent: undefined })
        await opened.idle(PATIENCE_MS)
      },
    }
  }

  return {
    dir,
    postgres,
    chain,
    rpc,
    facilitator,
    serviceUrl,
    /** As the ledger's own role: all that is tested runs under it. */
    database,
    /** As the owner: for what only a test does to the rows. */
    byHand,
    keyring,
    told,
    ledger,
    /** One that gives up a facilitator which hangs. */
    hastyLedger: () => ledger({ facilitator: facilitatorClient(2_000) }),
    wallet: (usdc = 1): Promise<Wallet> => fundWallet({ chain }, usdc),
    async look(job: Pick<JobEvent, 'keyHash' | 'jobId' | 'payer' | 'nonce'>): Promise<LookupItem> {
      const { keyHash, jobId, payer, nonce } = job
      const { items } = await lookUp(database, { items: [{ keyHash, jobId, authorization: { payer, nonce } }] })
      const [item] = items
      if (item === undefined) throw new Error('the lookup gave nothing')
      return item
    },
    /** Makes every lease of a dead process and every backoff run out. */
    makeDue: () => byHand.$executeRaw`UPDATE payments SET next_check_at = now() - interval '1 second'`,
    /** Does something on a chain whose clock went on by so much; the chain is as before afterwards. */
    async afterSeconds(seconds: number, work: () => Promise<void>): Promise<void> {
      const client = connectChain(chain.rpcUrl)
      const snapshot = await client.snapshot()
      try {
        await client.increaseTime({ seconds })
        await client.mine({ blocks: 1 })
        await work()
      } finally {
        await client.revert({ id: snapshot })
      }
    },
    async stop() {
      for (const client of clients) await client.close()
      await database.$disconnect()
      await byHand.$disconnect()
      await facilitator.close()
      await stopAll([postgres, chain])
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export const SIGNING_KEY = {
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid: 'test-1',
} as Ed25519PrivateJwk

export async function migrate(url: string, folder = MIGRATIONS): Promise<readonly string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await applyMigrations(client, folder, async ({ applied }) => applied)
  } finally {
    await client.end()
  }
}

/** The same database, as the role that the ledger gets. */
export function serviceUrlOf(ownerUrl: string): string {
  const url = new URL(ownerUrl)
  url.username = 'turnpike_ledger'
  url.password = randomBytes(24).toString('base64url')
  return url.href
}

async function stopAll(parts: readonly PartHandle[]): Promise<void> {
  await Promise.all(parts.map((part) => part.stop()))
}

/** For ledgers whose contents are all inline: any use of it is a mistake of the test. */
const noObjects: ObjectStore = {
  put: async () => Promise.reject(new Error('no object store')),
  get: async () => Promise.reject(new Error('no object store')),
  read: async () => Promise.reject(new Error('no object store')),
  presign: async () => Promise.reject(new Error('no object store')),
  delete: async () => Promise.reject(new Error('no object store')),
  list: async () => Promise.reject(new Error('no object store')),
  probe: async () => false,
  ensureBucket: async () => Promise.reject(new Error('no object store')),
  close: () => {},
}

export type ChainPart = AddressByPart['chain'] & PartHandle
