import {
  type AuditFound,
  type CallsPerCharge,
  type Crowd,
  countCalls,
  finishAll,
  randomFrom,
  readBooks,
  startCrowd,
  untilQuiet,
} from '@turnpike/crowd'
import { openChainRpc, readBlockNumber } from '@turnpike/payments'
import { until } from '@turnpike/testing'
import { openUpstream, type Upstream } from './upstream.ts'

/** Where paid requests go and what they are held against afterwards. */
export type Site = {
  /** May change while the load runs. */
  gateways: readonly string[]
  payTo: string
  rpcUrl: string
  sandboxAdminUrl: string
  fund(count: number, usdc: number): Promise<{ address: `0x${string}`; privateKey: `0x${string}` }[]>
  audit(fromBlock: bigint): Promise<AuditFound>
}

export type Load = {
  crowd: Crowd
  upstream: Upstream
  paid(): number
  /** So many more than now. */
  untilPaid(more: number): Promise<void>
}

export type Facts = Readonly<Record<string, string | number | boolean>>

export type StepResult = {
  step: string
  seconds: number
  requests: number
  charged: number
  /** Keys that can never be paid any more, uncharged. */
  closed: number
  /** Transfers of others than the crowd meanwhile: those of the installation's own check. */
  others: number
  differences: string[]
  upstream: CallsPerCharge
  answers: Record<string, number>
  audit: Omit<AuditFound, 'text'>
  facts: Facts
}

const WALLETS = 8
const USDC_EACH = 20
const QUIET_MS = 1_500
const WARM_REQUESTS = 8
const AFTER_REQUESTS = 8
const PAID_MS = 120_000

/**
 * Does something while clients pay, and settles up: every request is brought to its end, every paid one is fetched again with another
 * signature, the clients' side and the auditor's are held against the chain. What `act` throws comes after that as a difference.
 */
export async function underLoad(
  site: Site,
  options: { step: string; clients: number; seed: number; repeats: 'none' | 'one each' },
  act: (load: Load) => Promise<Facts>,
): Promise<StepResult> {
  const { step, clients, seed } = options
  const startedMs = Date.now()
  const fromBlock = (await readBlockNumber(openChainRpc({ url: site.rpcUrl, timeoutMs: 10_000 }))) + 1n
  const wallets = await site.fund(WALLETS, USDC_EACH)
  const upstream = await openUpstream(site.sandboxAdminUrl)
  const crowd = startCrowd({ gateways: site.gateways, wallets, clients, random: randomFrom(`${seed}/${step}`) })
  const paid = () => crowd.requests.filter((request) => request.paid !== undefined).length
  const load: Load = {
    crowd,
    upstream,
    paid,
    async untilPaid(more) {
      const wanted = paid() + more
      await until(`${more} more requests are paid`, () => paid() >= wanted, PAID_MS)
    },
  }
  const differences: string[] = []
  let facts: Facts = {}
  try {
    await load.untilPaid(WARM_REQUESTS)
    facts = await act(load)
    await load.untilPaid(AFTER_REQUESTS)
  } catch (error) {
    differences.push(`the step failed: ${error instanceof Error ? error.message : String(error)}`)
  }
  await upstream.answerAsUsual()
  await crowd.stop()
  const open = crowd.requests.filter((request) => request.paid === undefined)
  for (const { request, lastSeen } of await finishAll(crowd.deps, open)) {
    differences.push(`request ${request.number} never ended: ${lastSeen}`)
  }
  const paidRequests = crowd.requests.filter((request) => request.paid !== undefined)
  for (const { request, lastSeen } of await finishAll(crowd.deps, paidRequests)) {
    differences.push(`request ${request.number} is paid and cannot be fetched: ${lastSeen}`)
  }
  await untilQuiet(site, QUIET_MS)
  const books = await readBooks({
    payTo: site.payTo,
    rpcUrl: site.rpcUrl,
    crowd,
    fromBlock,
    payers: wallets.map(({ address }) => address),
  })
  const { text, ...audit } = await site.audit(fromBlock)
  const calls = countCalls(crowd, await upstream.texts())
  differences.push(
    ...crowd.violations,
    ...books.differences,
    ...auditDifferences(books.transfers + books.others, audit),
    ...(text === '' ? [] : [text]),
  )
  const most = options.repeats === 'none' ? 1 : 2
  if (calls.most > most) differences.push(`a charged request made ${calls.most} upstream calls`)
  if (calls.without > 0) differences.push(`${calls.without} charged requests made no upstream call`)
  return {
    step,
    seconds: Math.round((Date.now() - startedMs) / 100) / 10,
    requests: crowd.requests.length,
    charged: books.results,
    closed: books.closed,
    others: books.others,
    differences,
    upstream: calls,
    answers: Object.fromEntries([...crowd.answers].sort(([, one], [, other]) => other - one)),
    audit,
    facts,
  }
}

function auditDifferences(transfers: number, audit: Omit<AuditFound, 'text'>): string[] {
  const { receipts, results, refunds, foreign, differences } = audit
  const counts = new Set([transfers, audit.transfers, receipts, results])
  return [
    ...(counts.size === 1
      ? []
      : [`clients have ${transfers}, the audit ${audit.transfers} transfers, ${receipts} receipts, ${results} results`]),
    ...(refunds === 0 ? [] : [`${refunds} due for refund`]),
    ...(foreign === 0 ? [] : [`${foreign} transfers of nobody`]),
    ...(differences === 0 ? [] : [`the audit found ${differences} differences`]),
  ]
}
