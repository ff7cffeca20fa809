import { Client } from 'pg'
import { expect, it } from 'vitest'
import { startPart } from '../parts/start-part.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { ledgerRoleIn } from './ledger-database.ts'

it('is a role of its own where the database lets us make one, and the owner where it does not', async () => {
  using folder = scratchFolder()
  const part = await startPart('postgres', { dir: folder.path })
  const client = new Client({ connectionString: part.url })
  await client.connect()
  await client.query("CREATE ROLE maker LOGIN CREATEROLE PASSWORD 'x'; CREATE ROLE plain LOGIN PASSWORD 'x'")
  await client.end()
  const as = (role: string) => {
    const url = new URL(part.url)
    url.username = role
    url.password = 'x'
    return url.href
  }
  expect(await ledgerRoleIn(part.url)).toBe('own')
  expect(await ledgerRoleIn(as('maker'))).toBe('own')
  expect(await ledgerRoleIn(as('plain'))).toBe('owner')
  await part.stop()
  expect(await ledgerRoleIn(as('plain'))).toBe('own')
  expect(await ledgerRoleIn(undefined)).toBe('own')
})
