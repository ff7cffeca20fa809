import { expect, it } from 'vitest'
import { refusalsIn } from './rights-refused.ts'

it('finds what Kafka, Redis and the store say when they refuse, and nothing else', () => {
  const line = (text: string) => JSON.stringify({ level: 'warn', msg: text })
  const usual = [line('a job was done'), line('settlement: 1 confirmed')]
  expect(refusalsIn('gateway-1', usual.join('\n'))).toEqual([])
  const refusals = ['NOPERM No permissions to access a key', 'TOPIC_AUTHORIZATION_FAILED', 'AccessDenied: Access Denied'].map(
    line,
  )
  expect(refusalsIn('gateway-1', [...usual, ...refusals].join('\n'))).toEqual(
    refusals.map((text) => `gateway-1 was refused a right: ${text}`),
  )
  expect(refusalsIn('gateway-1', [...refusals, ...refusals].join('\n')).at(-1)).toBe('gateway-1: 3 lines more like these')
})
