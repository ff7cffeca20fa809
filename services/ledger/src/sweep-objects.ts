import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import type { Database } from './database.ts'
import { takenRefs } from './discard-result.ts'
import type { LedgerMetrics } from './ledger-metrics.ts'

type Deps = {
  database: Database
  store: Pick<ObjectStore, 'list' | 'delete'>
  metrics: LedgerMetrics
  logger: Logger
  now: () => number
}

export type ObjectSweep = {
  /** Looks at one page of the store; true while this round through it is not over. */
  turn(): Promise<boolean>
}

const PAGE = 500
const DAY_MS = 24 * 3_600_000
// Jobs end within minutes, and Kafka forgets them within hours.
const REQUESTS = { prefix: 'requests/', olderThanMs: DAY_MS }
// Two days beyond the seven that a settled result is kept.
const RESULTS = { prefix: 'results/', olderThanMs: 9 * DAY_MS }

/**
 * What every other deletion left behind: a worker that died before it deleted its request, the result of an outcome that nobody read, a
 * store that was away. For stores without lifecycle rules, and for what those cannot know: an object that a result refers to stays.
 */
export function openObjectSweep({ database, store, metrics, logger, now }: Deps): ObjectSweep {
  const rules = [REQUESTS, RESULTS]
  let at: { rule: number; next: string | undefined } = { rule: 0, next: undefined }

  async function removable(keys: readonly string[], prefix: string): Promise<readonly string[]> {
    if (prefix !== RESULTS.prefix || keys.length === 0) return keys
    const taken = await takenRefs(
      database,
      keys.flatMap((key) => JOB_OF_RESULT.exec(key)?.[1] ?? []),
    )
    return keys.filter((key) => !taken.has(key))
  }

  return {
    async turn() {
      const { rule: index, next } = at
      at = { rule: 0, next: undefined }
      const rule = rules[index]
      if (rule === undefined) return false
      const page = await store.list(rule.prefix, { limit: PAGE, next })
      const oldest = now() - rule.olderThanMs
      const old = page.objects.filter(({ modifiedAt }) => modifiedAt.getTime() < oldest).map(({ key }) => key)
      const keys = await removable(old, rule.prefix)
      for (const key of keys) await store.delete(key)
      if (keys.length > 0) {
        metrics.sweptObjects.inc({ prefix: rule.prefix }, keys.length)
        logger.info({ prefix: rule.prefix, objects: keys.length }, 'objects that were left behind are deleted')
      }
      // A fault above ends the round: the next one starts over.
      at = page.next === undefined ? { rule: index + 1, next: undefined } : { rule: index, next: page.next }
      const isOver = at.rule === rules.length
      if (isOver) at = { rule: 0, next: undefined }
      return !isOver
    },
  }
}

const JOB_OF_RESULT = /^results\/([0-9a-f]{64})/
