import type { Client } from 'pg'

// All that the ledger's own database role may. Money and receipts move only inside the functions: it can neither write a receipt by
// itself nor touch an amount, a state or a transaction. A statement that needs more needs its row here; the ledger's tests run under
// this role, so a missing one fails there.

const TABLES = ['authorizations', 'idempotency_keys', 'jobs', 'results', 'payments', 'receipts']

/** What says when somebody looked or sent, and decides nothing by itself. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  jobs: ['swept_at'],
  payments: ['owner', 'next_check_at', 'submissions', 'announced_at'],
}

const FUNCTIONS = [
  'record_job',
  'end_job',
  'store_result',
  'settle_stored',
  'commit_settlement',
  'void_payment',
  'postpone_payment',
  'note_late_transfer',
  'expire_results',
  'delete_expired_results',
]

/** Gives `role` these rights and takes all others in this schema, in one transaction: a ledger that runs meanwhile notices nothing. */
export async function grantServiceRights(client: Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role)
  const { rows } = await client.query<{ schema: string }>('SELECT quote_ident(current_schema()) AS schema')
  const [{ schema } = { schema: 'public' }] = rows
  const statements = [
    ...['TABLES', 'SEQUENCES', 'ROUTINES'].map((kind) => `REVOKE ALL ON ALL ${kind} IN SCHEMA ${schema} FROM ${name}`),
    `REVOKE ALL ON SCHEMA ${schema} FROM ${name}`,
    `GRANT USAGE ON SCHEMA ${schema} TO ${name}`,
    `GRANT SELECT ON ${TABLES.join(', ')} TO ${name}`,
    ...Object.entries(COLUMNS).map(([table, columns]) => `GRANT UPDATE (${columns.join(', ')}) ON ${table} TO ${name}`),
    `GRANT EXECUTE ON FUNCTION ${FUNCTIONS.join(', ')} TO ${name}`,
  ]
  await client.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'))
}
