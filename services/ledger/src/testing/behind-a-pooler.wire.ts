import { spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, obtainPgbouncer } from '@turnpike/local'
import { until } from '@turnpike/testing'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../database.ts'
import { type Rig, startRig } from './ledger-rig.ts'
import { signedJob, succeeded } from './signed-job.ts'

// PgBouncer in transaction mode, of a version that keeps no prepared statements: each transaction may have another server connection.
let rig: Rig
let pooledUrl: string
let stopPooler: () => Promise<void>

const NOBODY = 65_534

beforeAll(async () => {
  rig = await startRig()
  const port = await freePort()
  const to = new URL(rig.serviceUrl)
  const folder = join(rig.dir, 'pooler')
  mkdirSync(folder)
  const accounts = join(folder, 'users.txt')
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(accounts, `"${to.username}" "${to.password}"\n`)
  writeFileSync(
    config,
    [
      '[databases]',
      `turnpike = host=${to.hostname} port=${to.port} dbname=turnpike user=${to.username} password=${to.password}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = plain\nauth_file = ${accounts}`,
      // As docs/ledger-database.md says; fewer server connections than clients, so that they change hands.
      'pool_mode = transaction\ndefault_pool_size = 3\nserver_round_robin = 1\nserver_reset_query_always = 1',
      'ignore_startup_parameters = statement_timeout,lock_timeout',
    ].join('\n'),
  )
  for (const path of [rig.dir, folder, accounts, config]) chmodSync(path, 0o755)
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : []
  const pooler = spawn(await obtainPgbouncer(), [...user, config], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => pooler.on('close', () => resolve()))
  stopPooler = async () => {
    pooler.kill('SIGTERM')
    await ended
  }
  await until('the pooler', () => listens(port))
  to.port = String(port)
  pooledUrl = to.href
})
afterAll(async () => {
  await stopPooler?.()
  await rig?.stop()
})

function listens(port: number): Promise<true> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', reject)
  })
}

function open(preparedStatements: boolean): Database {
  const database = openDatabase({ url: pooledUrl, connections: 12, preparedStatements })
  onTestFinished(() => database.$disconnect())
  return database
}

it('the ledger records, settles and gives out receipts without prepared statements', async () => {
  const ledger = rig.ledger({ database: open(false) })
  const wallet = await rig.wallet(1)
  const jobs = await Promise.all(Array.from({ length: 12 }, () => signedJob(rig.keyring, wallet)))
  await Promise.all(jobs.map((job) => ledger.recordJob(job)))
  await Promise.all(jobs.map((job) => ledger.commitOutcome(succeeded(rig.keyring, job), { attempt: 1, traceparent: undefined })))
  await ledger.idle(30_000)
  for (const _turn of [1, 2, 3]) {
    await rig.makeDue()
    await ledger.reconcile()
    await ledger.idle(30_000)
  }
  const found = await Promise.all(jobs.map((job) => rig.look(job)))
  expect(found.map(({ state }) => state)).toEqual(jobs.map(() => 'settled'))
  expect(await ledger.sweep()).toBe(false)
  expect(await ledger.expire()).toBe(false)
})

it('with them it would not work there, which is why the setting is', async () => {
  const ledger = rig.ledger({ database: open(true) })
  const wallet = await rig.wallet(1)
  const jobs = await Promise.all(Array.from({ length: 24 }, () => signedJob(rig.keyring, wallet)))
  const recorded = await Promise.allSettled(jobs.map((job) => ledger.recordJob(job)))
  expect(recorded.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
})
