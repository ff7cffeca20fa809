import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { homeAt, makeHome } from '../home.ts'
import { keptIdentity } from '../identity.ts'
import { readSettings } from '../settings.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { planUnits } from './plan-units.ts'
import { portNames } from './port-names.ts'
import { serviceNames } from './service-names.ts'
import { services } from './services.ts'
import { wire } from './wiring.ts'

async function environments(folder: string, env: NodeJS.ProcessEnv = {}): Promise<Map<string, NodeJS.ProcessEnv>> {
  const settings = readSettings({ TURNPIKE_HOME: folder, ...env })
  const home = homeAt(folder)
  mkdirSync(folder, { recursive: true })
  makeHome(home)
  const ports = Object.fromEntries(portNames(settings).map((name, index) => [name, 20_000 + index]))
  const units = planUnits(wire(settings, home, keptIdentity(home), ports))
  const programs = units.filter(({ kind }) => kind === 'service' || kind === 'managed' || kind === 'task')
  return new Map(await Promise.all(programs.map(async ({ name, launch }) => [name, (await launch())?.env ?? {}] as const)))
}

it('has a facilitator that pays gas for nobody but the seller of this stack', async () => {
  using folder = scratchFolder()
  const programs = await environments(folder.path)
  const { PAY_TO, HOST } = programs.get('facilitator') ?? {}
  expect(PAY_TO).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(HOST).toBe('127.0.0.1')
  expect(programs.get('gateway')?.PAY_TO).toBe(PAY_TO)
})

it('has one row for each service, in their order', () => {
  expect(services.map(({ name }) => name)).toEqual(serviceNames)
})

it('migrates as the owner, and runs the ledger under a role and a password of its own', async () => {
  using folder = scratchFolder()
  const { programs, again } = { programs: await environments(folder.path), again: await environments(folder.path) }
  const owner = programs.get('ledger-migrate')?.MIGRATION_DATABASE_URL ?? ''
  const ledger = programs.get('ledger')?.DATABASE_URL ?? ''
  expect(programs.get('ledger-migrate')?.DATABASE_URL).toBe(ledger)
  expect([new URL(owner).username, new URL(ledger).username]).toEqual(['turnpike', 'turnpike_ledger'])
  expect(new URL(ledger).password).not.toBe(new URL(owner).password)
  expect(again.get('ledger')?.DATABASE_URL).toBe(ledger)
  for (const [name, env] of programs) {
    if (name !== 'ledger-migrate') expect(JSON.stringify(env), name).not.toContain(new URL(owner).password)
  }
})

it('does the same with a database of yours', async () => {
  using folder = scratchFolder()
  const programs = await environments(folder.path, { DATABASE_URL: 'postgres://me:mine@db.example:6543/shop' })
  expect(programs.get('ledger-migrate')?.MIGRATION_DATABASE_URL).toBe('postgres://me:mine@db.example:6543/shop')
  expect(programs.get('ledger')?.DATABASE_URL).toMatch(/^postgres:\/\/shop_ledger:[\w-]{32}@db\.example:6543\/shop$/)
})
