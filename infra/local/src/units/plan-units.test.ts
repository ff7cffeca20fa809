import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { homeAt, makeHome } from '../home.ts'
import { keptIdentity } from '../identity.ts'
import { readSettings } from '../settings.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { planUnits } from './plan-units.ts'
import { portNames, wire } from './wiring.ts'

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
