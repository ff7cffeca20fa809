import type { Logger } from '@turnpike/service'
import {
  expiryOfMediaKey,
  MAX_STAGING_MS,
  MEDIA_PREFIXES,
  type ObjectPage,
  type ObjectStore,
  STAGING_PREFIX,
} from '@turnpike/storage'
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

type Listed = ObjectPage['objects'][number]
type Rule = {
  prefix: string
  isOver(object: Listed, nowMs: number): boolean
  /** Keys stand in the order in which they go, so what follows one that stays need not be looked at. */
  inOrder: boolean
}

const PAGE = 500
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
// Jobs end within minutes, and Kafka forgets them within hours.
const REQUESTS = olderThan('requests/', DAY_MS)
// Two days beyond the seven that a settled result is kept.
const RESULTS = olderThan('results/', 9 * DAY_MS)
// The clocks of those who host, serve and sweep may differ; a file that was promised until its expiry is there until then.
const MEDIA_MARGIN_MS = HOUR_MS
const STAGING_MARGIN_MS = HOUR_MS / 4
// Its key has lapsed by then: what lies there is noise already.
const STAGING = olderThan(STAGING_PREFIX, MAX_STAGING_MS + STAGING_MARGIN_MS)
const RULES = [REQUESTS, STAGING, RESULTS, ...Object.values(MEDIA_PREFIXES).map(({ prefix }) => pastItsExpiry(prefix))]

function olderThan(prefix: string, ageMs: number): Rule {
  return { prefix, isOver: ({ modifiedAt }, nowMs) => modifiedAt.getTime() < nowMs - ageMs, inOrder: false }
}

/** Hosted files say in their keys until when they were promised. A key that does not say it is none of ours and stays. */
function pastItsExpiry(prefix: string): Rule {
  return { prefix, isOver: ({ key }, nowMs) => (expiryOfMediaKey(key) ?? nowMs) < nowMs - MEDIA_MARGIN_MS, inOrder: true }
}

/**
 * What every other deletion left behind: a worker that died before it deleted its request, the result of an outcome that nobody read, a
 * store that was away. And hosted files after their expiry. For stores without lifecycle rules, and for what those cannot know: an object
 * that a result refers to stays, and a file goes an hour after its expiry, not at the end of that day.
 */
export function openObjectSweep({ database, store, metrics, logger, now }: Deps): ObjectSweep {
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
      const rule = RULES[index]
      if (rule === undefined) return false
      const page = await store.list(rule.prefix, { limit: PAGE, next })
      const over = page.objects.filter((object) => rule.isOver(object, now())).map(({ key }) => key)
      const keys = await removable(over, rule.prefix)
      for (const key of keys) await store.delete(key)
      if (keys.length > 0) {
        metrics.sweptObjects.count({ prefix: rule.prefix }, keys.length)
        logger.info({ prefix: rule.prefix, objects: keys.length }, 'objects that were left behind are deleted')
      }
      // A fault above ends the round: the next one starts over.
      const isRuleDone = page.next === undefined || (rule.inOrder && over.length < page.objects.length)
      at = isRuleDone ? { rule: index + 1, next: undefined } : { rule: index, next: page.next }
      const isOver = at.rule === RULES.length
      if (isOver) at = { rule: 0, next: undefined }
      return !isOver
    },
  }
}

const JOB_OF_RESULT = /^results\/([0-9a-f]{64})/
