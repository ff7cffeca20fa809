import type { DatabaseWire } from '@turnpike/service'
import { Client } from 'pg'
import { scramVerifier } from './scram-verifier.ts'

const DUPLICATE = ['42710', '23505']
const NOT_ALLOWED = '42501'
const WRONG_PASSWORD = '28P01'
const CONNECT_TIMEOUT_MS = 10_000

/** The role that the ledger connects as. Without a password, Postgres is expected to know it by other means. */
export type ServiceRole = { name: string; password: string | undefined }

/** What an operator has to mend; its message is a whole sentence without a secret. */
export class RoleUnfit extends Error {
  override name = 'RoleUnfit'
}

export function roleOf(databaseUrl: string): ServiceRole | undefined {
  const { username, password } = new URL(databaseUrl)
  if (username === '') return undefined
  return { name: decodeURIComponent(username), password: password === '' ? undefined : decodeURIComponent(password) }
}

/**
 * Makes the role if it is missing and the owner may make roles. One that could undo what its rights forbid (a superuser, whoever may
 * make roles, a member of the owner) is refused with RoleUnfit.
 */
export async function ensureServiceRole(owner: Client, { name, password }: ServiceRole): Promise<void> {
  if ((await readRole(owner, name)) === undefined) await createRole(owner, { name, password })
  const role = await readRole(owner, name)
  if (role === undefined) throw new Error('a role that was just made is gone')
  const power = [
    role.rolsuper ? 'is a superuser' : undefined,
    role.rolcreaterole ? 'may make roles' : undefined,
    role.rolbypassrls ? 'may bypass row security' : undefined,
    role.rolreplication ? 'may replicate' : undefined,
    role.isOwner ? 'can act as the owner of the tables' : undefined,
  ].filter((each) => each !== undefined)
  if (power.length === 0) return
  throw new RoleUnfit(
    `The role ${name} of DATABASE_URL ${power.join(' and ')}, so nothing would keep it from changing receipts: name an ordinary role there, or the owner itself to do without one.`,
  )
}

/**
 * Sets the role's password to the one of `wire`, DATABASE_URL, when Postgres refuses it; a password that works is left alone. Faults other than
 * that are for the ledger to meet: this process may have no way to where it connects.
 */
export async function ensurePassword(owner: Client, wire: DatabaseWire, { name, password }: ServiceRole): Promise<void> {
  if (password === undefined || (await tryLogin(wire)) !== WRONG_PASSWORD) return
  try {
    await owner.query(`ALTER ROLE ${owner.escapeIdentifier(name)} LOGIN PASSWORD ${passwordLiteral(owner, password)}`)
  } catch (error) {
    if (codeOf(error) !== NOT_ALLOWED) throw error
    throw new RoleUnfit(
      `Postgres does not take the password of DATABASE_URL for the role ${name}, and MIGRATION_DATABASE_URL may not set it: set it there, or give the ledger the right one.`,
    )
  }
}

type RoleRow = {
  rolsuper: boolean
  rolcreaterole: boolean
  rolbypassrls: boolean
  rolreplication: boolean
  isOwner: boolean
}

async function readRole(owner: Client, name: string): Promise<RoleRow | undefined> {
  const { rows } = await owner.query<RoleRow>(
    `SELECT rolsuper, rolcreaterole, rolbypassrls, rolreplication, pg_has_role(oid, current_user, 'MEMBER') AS "isOwner"
     FROM pg_roles WHERE rolname = $1`,
    [name],
  )
  return rows[0]
}

async function createRole(owner: Client, { name, password }: ServiceRole): Promise<void> {
  try {
    const secret = password === undefined ? '' : ` PASSWORD ${passwordLiteral(owner, password)}`
    await owner.query(`CREATE ROLE ${owner.escapeIdentifier(name)} LOGIN${secret}`)
  } catch (error) {
    const code = codeOf(error)
    // Roles belong to the whole server: the migration of another database may have made it meanwhile.
    if (code !== undefined && DUPLICATE.includes(code)) return
    if (code !== NOT_ALLOWED) throw error
    throw new RoleUnfit(
      `There is no role ${name}, which DATABASE_URL names, and MIGRATION_DATABASE_URL may not make one: make it with CREATE ROLE, or give that one the right CREATEROLE.`,
    )
  }
}

async function tryLogin(wire: DatabaseWire): Promise<string | undefined> {
  const client = new Client({ ...wire, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The verifier and not the password: statements may be logged. */
function passwordLiteral(owner: Client, password: string): string {
  return owner.escapeLiteral(scramVerifier(password))
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
