import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { StackFailure } from '../failure.ts'
import { findProgram } from '../process/find-program.ts'
import { locatePostgres, type PostgresSoftware } from '../software/npm-programs.ts'
import { guardedPostgresSettings } from '../wire/guarded-postgres.ts'
import type { Part, Site } from './part.ts'
import { keptSecret } from './secret-file.ts'

export interface PostgresAddress {
  readonly url: string
  /** PEM of the authority that signed its certificate; it takes no connection without TLS then. */
  readonly ca?: string
}

const user = 'turnpike'
const database = 'turnpike'

export const settings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // No socket file: its path has a limit of 107 bytes, which a deep checkout passes.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
}

export const postgres: Part<PostgresSoftware, PostgresAddress> = {
  name: 'postgres',
  needsSidePort: false,
  readyTimeoutMs: 30_000,
  obtain: async () => locatePostgres(),
  prepare: async (software, site) => {
    await mkdir(site.dir, { recursive: true })
    if (existsSync(dataFolder(site))) return
    const draft = join(site.dir, 'data.draft')
    await rm(draft, { recursive: true, force: true })
    const passwordFile = join(site.dir, 'password.draft')
    writeFileSync(passwordFile, password(site), { mode: 0o600 })
    try {
      const { program, args } = asOrdinaryUser(software.initdb, [
        ...['--pgdata', draft, '--username', user, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
        ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
      ])
      const result = spawnSync(program, args, { encoding: 'utf8', env: { PATH: process.env.PATH } })
      if (result.status !== 0) {
        const reason = `${result.stderr || result.error?.message}`.trim().split('\n').at(-1)
        throw new StackFailure(`Postgres cannot make its data folder in ${site.dir}: ${reason}`)
      }
      await rename(draft, dataFolder(site))
    } finally {
      rmSync(passwordFile, { force: true })
    }
  },
  command: (software, site) => ({
    ...asOrdinaryUser(software.postgres, [
      ...['-D', dataFolder(site), '-p', String(site.port)],
      ...Object.entries({ ...settings, ...guardOf(site) }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    env: { PATH: process.env.PATH },
    // SIGTERM would wait for every client to leave.
    stopSignal: 'SIGINT',
  }),
  answers: async (site) => {
    await query(site, 'SELECT 1')
    return true
  },
  fill: async (site) => {
    const found = await query(site, `SELECT 1 FROM pg_database WHERE datname = '${database}'`)
    if (found === 0) await query(site, `CREATE DATABASE ${database}`)
  },
  address: (site) => ({ url: urlOf(site, database), ...(site.guard === undefined ? {} : { ca: site.guard.ca }) }),
}

function guardOf(site: Site): Record<string, string> {
  return site.guard === undefined ? {} : guardedPostgresSettings(site.dir, site.guard)
}

/**
 * Postgres refuses to run as root. In a user namespace it runs as an ordinary user who still owns root's files, so it works below
 * a home that nobody else may enter, which a second user of the machine could not.
 */
function asOrdinaryUser(program: string, args: readonly string[]): { program: string; args: readonly string[] } {
  if (process.getuid?.() !== 0) return { program, args }
  const unshare = findProgram('unshare')
  const mapping = ['--user', '--map-user=1000', '--map-group=1000']
  if (unshare === undefined || spawnSync(unshare, [...mapping, 'true']).status !== 0) {
    throw new StackFailure(
      'Postgres does not run as root, and this machine allows root no user namespace: start the stack as another user, or set DATABASE_URL to use a Postgres of your own.',
    )
  }
  return { program: unshare, args: [...mapping, program, ...args] }
}

function dataFolder(site: Site): string {
  return join(site.dir, 'data')
}

function password(site: Site): string {
  return keptSecret(join(site.dir, 'password.json'), () => randomBytes(24).toString('base64url'))
}

function urlOf(site: Site, name: string): string {
  return `postgres://${user}:${password(site)}@127.0.0.1:${site.port}/${name}`
}

/** In the database that is always there. */
async function query(site: Site, sql: string): Promise<number> {
  const client = new Client({
    connectionString: urlOf(site, 'postgres'),
    connectionTimeoutMillis: 3_000,
    ...(site.guard === undefined ? {} : { ssl: { ca: site.guard.ca, host: '127.0.0.1' } }),
  })
  // A connection that breaks later than its query must not become an uncaught error.
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows.length
  } finally {
    await client.end().catch(() => {})
  }
}
