import type { Logger } from '@turnpike/service'
import type { ObjectStore } from '@turnpike/storage'
import type { Database } from './database.ts'

type Deps = { database: Database; store: Pick<ObjectStore, 'delete'>; logger: Logger }

/**
 * Deletes the stored result of an outcome that was not taken. A redelivered outcome names the very object that was taken the first time,
 * so the results are asked first. Best effort: what is left is swept later.
 */
export async function discardResult({ database, store, logger }: Deps, result: { jobId: string; ref: string }): Promise<void> {
  const { jobId, ref } = result
  try {
    if ((await takenRefs(database, [jobId])).has(ref)) return
    await store.delete(ref)
    logger.info({ jobId }, 'the result of an outcome that was not taken is deleted')
  } catch (error) {
    logger.warn({ error, jobId }, 'the result of an outcome that was not taken could not be deleted')
  }
}

/** The objects that hold the results of these jobs. */
export async function takenRefs(database: Database, jobIds: readonly string[]): Promise<Set<string>> {
  const rows = await database.$queryRaw<{ ref: string }[]>`
    SELECT body_ref->>'ref' AS ref FROM results WHERE job_id = ANY(${[...jobIds]}::text[]) AND body_ref IS NOT NULL`
  return new Set(rows.map(({ ref }) => ref))
}
