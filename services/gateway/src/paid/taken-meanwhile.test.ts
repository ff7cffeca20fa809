import { KEY_STATES } from '@turnpike/contracts'
import { expect, it } from 'vitest'
import { takenMeanwhile } from './taken-meanwhile.ts'

it('a key is open to a refusal only while the ledger has it unknown or free', async () => {
  const open = []
  for (const state of KEY_STATES) {
    const ledger = { lookup: async ({ keyHash }: { keyHash: string }) => ({ keyHash, state }) }
    if (!(await takenMeanwhile({ ledger }, 'k'))) open.push(state)
  }
  expect(open.sort()).toEqual(['free', 'unknown'])
})

it('a ledger that cannot be asked is no permission to refuse', async () => {
  const ledger = { lookup: () => Promise.reject(new Error('away')) }
  await expect(takenMeanwhile({ ledger }, 'k')).rejects.toThrow('away')
})
