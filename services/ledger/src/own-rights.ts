import type { Logger } from '@turnpike/service'
import { type Database, databaseFault } from './database.ts'

/** Whether nothing but triggers, or not even they, would keep the role that we connect as from changing what was receipted. */
export async function mayChangeReceipts(database: Database): Promise<boolean> {
  const [row] = await database.$queryRaw<{ may: boolean }[]>`
    SELECT r.rolsuper OR pg_has_role(c.relowner, 'MEMBER') OR has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER') AS may
    FROM pg_class c, pg_roles r WHERE c.oid = 'receipts'::regclass AND r.rolname = current_user`
  if (row === undefined) throw new Error('there is no table of receipts')
  return row.may
}

/** Says so in the log. A database that is away has its own alarms. */
export async function reportOwnRights({ database, logger }: { database: Database; logger: Logger }): Promise<void> {
  try {
    if (!(await mayChangeReceipts(database))) return
    logger.warn({}, 'the database role of DATABASE_URL could change receipts: give the ledger a role of its own')
  } catch (error) {
    const fault = databaseFault(error)
    if (fault === undefined) logger.debug({ error }, 'the rights of the database role were not read')
    else logger.error({}, fault)
  }
}
