import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AddressByPart, newAuthority, type PartHandle, startPart } from '@turnpike/local'
import { ConfigError, databaseWire } from '@turnpike/service'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Database, databaseAnswers, databaseFault, openDatabase } from './database.ts'
import { mayChangeReceipts } from './own-rights.ts'
import { prepareDatabase } from './prepare-database.ts'
import { serviceUrlOf } from './testing/ledger-rig.ts'

// A Postgres as production has it: a certificate of its own authority, and no way in without TLS and a password.
let postgres: AddressByPart['postgres'] & PartHandle
let dir: string
let strangersCa: string
let serviceUrl: string
const ca = () => postgres.ca

beforeAll(async () => {
  const authority = await newAuthority()
  strangersCa = (await newAuthority()).ca
  dir = await mkdtemp(join(tmpdir(), 'turnpike-postgres-'))
  postgres = await startPart('postgres', { dir, guard: await authority.issue('postgres') })
  serviceUrl = serviceUrlOf(postgres.url)
})
afterAll(async () => {
  await postgres?.stop()
  await rm(dir, { recursive: true, force: true })
})

function open(url: string, tlsCa: string | undefined): Database {
  const { connectionString, ssl } = databaseWire('ledger', { url, tlsCa })
  const database = openDatabase({ url: connectionString, ssl, connections: 2 })
  onTestFinished(() => database.$disconnect())
  return database
}

async function faultOf(url: string, tlsCa: string | undefined): Promise<string | undefined> {
  return await databaseAnswers(open(url, tlsCa)).then(
    () => 'it answered',
    (error: unknown) => databaseFault(error),
  )
}

it('is migrated and used over TLS, under the ledger’s own role', async () => {
  expect(await prepareDatabase({ ownerUrl: postgres.url, serviceUrl, tlsCa: ca() })).toMatchObject({ role: 'granted' })
  const database = open(serviceUrl, ca())
  expect(await databaseAnswers(database)).toBe(true)
  expect(await mayChangeReceipts(database)).toBe(false)
  expect(await database.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).toEqual([{ ssl: true }])
})

it('is not spoken to when another authority vouches for it, or when it is asked for without TLS', async () => {
  const notTrusted = 'The certificate of Postgres is not signed by an authority that is trusted here: see DATABASE_TLS_CA.'
  expect(await faultOf(serviceUrl, strangersCa)).toBe(notTrusted)
  expect(await faultOf(`${serviceUrl}?sslmode=verify-full`, undefined)).toBe(notTrusted)
  // "require" trusts whoever answers in libpq; here it does not.
  expect(await faultOf(`${serviceUrl}?sslmode=require`, undefined)).toBe(notTrusted)
  expect(await faultOf(serviceUrl, undefined)).toMatch(/^Postgres refuses DATABASE_URL.*without TLS/)
})

it('names the variable when it refuses the password', async () => {
  const url = new URL(serviceUrl)
  url.password = 'a-wrong-one'
  const fault = await faultOf(url.href, ca())
  expect(fault).toMatch(/^Postgres refuses DATABASE_URL: its role, its password/)
  expect(fault).not.toContain('a-wrong-one')
})

it('is not spoken to under another name than that of its certificate', async () => {
  const url = new URL(serviceUrl)
  url.hostname = '127.0.0.2'
  // Nobody listens there; what matters is that the certificate's own names work and no other address would.
  expect(databaseWire('ledger', { url: url.href, tlsCa: ca() }).ssl).toMatchObject({
    host: '127.0.0.2',
    rejectUnauthorized: true,
  })
  url.hostname = 'localhost'
  expect(await databaseAnswers(open(url.href, ca()))).toBe(true)
})

it.each([
  ['sslmode=prefer', 'sslmode=prefer'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['sslmode=disable', 'DATABASE_TLS_CA is set'],
  ['sslrootcert=/etc/ca.pem', 'sslrootcert'],
  ['ssl=true', 'ssl:'],
])('a URL with %s is refused at the start', (setting, words) => {
  const wire = () => databaseWire('ledger', { url: `${serviceUrl}?${setting}`, tlsCa: ca() })
  expect(wire).toThrow(ConfigError)
  expect(wire).toThrow(words)
})
