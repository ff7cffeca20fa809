import { keyHashOf } from '@turnpike/contracts'
import type { Stack } from '@turnpike/local'
import { Client } from 'pg'

/** Seven days pass for one result: its row is backdated, and the ledger's own expiry takes it. */
export async function expireResult(stack: Stack, key: string): Promise<void> {
  const database = new Client({ connectionString: stack.databaseUrl })
  await database.connect()
  try {
    const { rowCount } = await database.query(`UPDATE results SET expires_at = now() - interval '1 second' WHERE key_hash = $1`, [
      keyHashOf(key),
    ])
    if (rowCount !== 1) throw new Error('there is no such result')
    await database.query('SELECT * FROM expire_results(1000)')
  } finally {
    await database.end()
  }
}
