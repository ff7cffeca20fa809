import type { Database } from './database.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'

const UNDECIDED = ['settling', 'unknown'] as const
const ATOMIC_PER_USDC = 1e6

type Row = { state: string; things: number; oldest_s: number; atomic: number }

/**
 * What the books say is open, asked once per scrape by way of partial indexes, so it costs what is open and not what ever was. All
 * replicas say the same: take one, not the sum.
 */
export function observeOpenMoney(metrics: LedgerMetrics, database: Database): void {
  // One question for three metrics that are read together.
  let asked: Promise<Row[]> | undefined
  const read = () => {
    asked ??= readOpenMoney(database).finally(() => {
      asked = undefined
    })
    return asked
  }
  const undecided = (of: (row: Row) => number) => async (gauge: { set(labels: { state: string }, value: number): void }) => {
    const rows = await read()
    for (const state of UNDECIDED) gauge.set({ state }, rows.filter((row) => row.state === state).map(of)[0] ?? 0)
  }
  const open = (of: (row: Row) => number) => async (gauge: { set(labels: object, value: number): void }) => {
    const rows = await read()
    gauge.set({}, rows.filter((row) => row.state === 'admitted').map(of)[0] ?? 0)
  }
  metrics.undecided.readBy(undecided(({ things }) => things))
  metrics.oldestUndecided.readBy(undecided(({ oldest_s }) => oldest_s))
  metrics.undecidedUsdc.readBy(undecided(({ atomic }) => atomic / ATOMIC_PER_USDC))
  metrics.openJobs.readBy(open(({ things }) => things))
  metrics.oldestOpenJob.readBy(open(({ oldest_s }) => oldest_s))
  metrics.openJobsUsdc.readBy(open(({ atomic }) => atomic / ATOMIC_PER_USDC))
}

function readOpenMoney(database: Database): Promise<Row[]> {
  return database.$queryRaw<Row[]>`
    SELECT state, count(*)::float8 AS things, extract(epoch FROM now() - min(created_at))::float8 AS oldest_s,
      sum(amount_atomic)::float8 AS atomic
    FROM payments WHERE state IN ('settling', 'unknown') GROUP BY state
    UNION ALL
    SELECT 'admitted', count(*)::float8, coalesce(extract(epoch FROM now() - min(admitted_at)), 0)::float8,
      coalesce(sum(amount_atomic), 0)::float8
    FROM jobs WHERE state = 'admitted'`
}
