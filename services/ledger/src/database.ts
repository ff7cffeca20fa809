import { PrismaPg } from '@prisma/adapter-pg'
import { type DatabaseWire, wireFault } from '@turnpike/service'
import { DatabaseError, Pool, types } from 'pg'
import { PrismaClient } from './generated/client.ts'

export type Database = PrismaClient & {
  /**
   * The rows of one statement, in the types that `$queryRaw` gives, by the driver itself on a connection of the same pool: for what every
   * request costs. On its way through Prisma a statement costs the ledger four times as much. Rejects with the driver's error.
   */
  rows<Row>(parts: TemplateStringsArray, ...values: unknown[]): Promise<Row[]>
}

const CONNECT_TIMEOUT_MS = 5_000
// No statement of the ledger is long; one that waits this long for a row waits for somebody who is gone.
const STATEMENT_TIMEOUT_MS = 15_000
const LOCK_TIMEOUT_MS = 10_000
// The ledger has some dozens of statements; one whose text is different every time must not fill Postgres with names.
const MAX_PREPARED_STATEMENTS = 200

/**
 * Connects with its first query. Its pool holds `connections` at most; what comes beyond waits. Statements are prepared once per
 * connection, because planning costs Postgres more than running them; `preparedStatements: false` for a pooler in between that does not
 * keep a session's statements.
 */
export function openDatabase(options: {
  url: string
  /** TLS, as databaseWire says; without it the URL decides. */
  ssl?: DatabaseWire['ssl'] | undefined
  connections: number
  preparedStatements?: boolean
}): Database {
  const pool = new Pool({
    connectionString: options.url,
    ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
    max: options.connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    application_name: 'turnpike-ledger',
    keepAlive: true,
  })
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
  pool.on('error', () => {})
  // One list of names for both ways to the pool: a connection knows a name by one text only.
  const nameOf = (options.preparedStatements ?? true) ? statementNames() : undefined
  const adapter = new PrismaPg(pool, {
    disposeExternalPool: true,
    ...(nameOf === undefined ? {} : { statementNameGenerator: ({ sql }) => nameOf(sql) }),
  })
  const statements = new WeakMap<TemplateStringsArray, { text: string; name?: string }>()
  const statementOf = (parts: TemplateStringsArray) => {
    const text = parts.reduce((before, part, place) => `${before}$${place}${part}`)
    return nameOf === undefined ? { text } : { text, name: nameOf(text) }
  }
  return Object.assign(new PrismaClient({ adapter }), {
    async rows<Row>(parts: TemplateStringsArray, ...values: unknown[]): Promise<Row[]> {
      const statement = statements.get(parts) ?? statementOf(parts)
      statements.set(parts, statement)
      const { rows } = await pool.query({ ...statement, values, types: TYPES })
      return rows as Row[]
    },
  })
}

/** As Prisma reads them: `bigint` is one. */
const TYPES = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    return type === types.builtins.INT8 ? BigInt : types.getTypeParser(type, format as 'text')
  },
}

/** The same name for the same text, and none beyond the limit. */
function statementNames(): (text: string) => string {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined) return known
    if (names.size >= MAX_PREPARED_STATEMENTS) return ''
    const name = `statement_${names.size + 1}`
    names.set(text, name)
    return name
  }
}

export async function databaseAnswers(database: Database): Promise<boolean> {
  const rows = await database.$queryRaw<unknown[]>`SELECT 1`
  return rows.length === 1
}

const REFUSED = ['28P01', '28000', '3D000']

/** A sentence where the configuration of the connection is at fault; undefined for a Postgres that is away. */
export function databaseFault(error: unknown): string | undefined {
  const state = sqlStateOf(error)
  return wireFault(tlsErrorOf(error) ?? error, {
    what: 'Postgres',
    ca: 'DATABASE_TLS_CA',
    credentials: 'DATABASE_URL: its role, its password, its database, or a connection without TLS',
    isRefusal: () => state !== undefined && REFUSED.includes(state),
  })
}

/**
 * Postgres cannot store the values of this event, today or ever: numbers out of range, NUL in text, a check constraint
 * (SQLSTATE classes 22 and 23). Everything else may pass.
 */
export function isUnstorable(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state !== undefined && /^2[23]/.test(state)
}

function sqlStateOf(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code
  const found = causesOf(error).find(({ originalCode }) => typeof originalCode === 'string')
  return found?.originalCode as string | undefined
}

/** Of a certificate that was not taken, the adapter keeps only the words. */
function tlsErrorOf(error: unknown): Error | undefined {
  const found = causesOf(error).find(({ kind, reason }) => kind === 'TlsConnectionError' && typeof reason === 'string')
  if (found === undefined) return undefined
  const reason = String(found.reason)
  const code = /altnames/.test(reason)
    ? 'ERR_TLS_CERT_ALTNAME_INVALID'
    : /expired|not yet valid/.test(reason)
      ? 'CERT_HAS_EXPIRED'
      : 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
  return Object.assign(new Error(reason), { code })
}

function causesOf(error: unknown): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  for (let at: unknown = error; isRecord(at) && found.length < 6; ) {
    found.push(at)
    at = at.cause ?? (isRecord(at.meta) ? at.meta.driverAdapterError : undefined)
  }
  return found
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
