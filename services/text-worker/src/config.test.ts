import { loadConfig } from '@turnpike/service'
import { expect, it } from 'vitest'
import { TEXT_WORKER_CONFIG } from './config.ts'

const ENV = {
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: '127.0.0.1:9092',
  REDIS_URL: 'redis://127.0.0.1:6379',
  CONTENT_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  S3_BUCKET: 'turnpike',
  GEMINI_API_KEY: 'key',
  TEXT_ROUTES: '{"gm-2.5-flash":["gemini-2.5-flash","gemini-2.5-flash-lite"]}',
}
const load = (env: Record<string, string>) => loadConfig('text-worker', TEXT_WORKER_CONFIG, { ...ENV, ...env })

it('reads the routes in their order of preference', () => {
  const { textRoutes, concurrency } = load({})
  expect([...textRoutes]).toEqual([['gm-2.5-flash', ['gemini-2.5-flash', 'gemini-2.5-flash-lite']]])
  expect(concurrency).toBe(64)
})

it('listens on the loopback unless it is told otherwise', () => {
  expect(load({}).host).toBe('127.0.0.1')
})

it.each([
  ['{"gm-9":["x"]}', '"gm-9" is not a text model'],
  ['{"gm-2.5-flash":[]}', 'gm-2.5-flash must have a list of targets'],
  ['{"gm-2.5-flash":["a/../b"]}', 'gm-2.5-flash has a target that is not a model name'],
  ['{}', 'it must hold at least one model'],
  ['[]', 'it must be an object'],
  ['{', 'is not valid JSON'],
])('says what is wrong with the routes %s', (routes, problem) => {
  expect(() => load({ TEXT_ROUTES: routes })).toThrow(problem)
})

it('lists every missing variable at once', () => {
  expect(() => loadConfig('text-worker', TEXT_WORKER_CONFIG, {})).toThrow(
    /INTERNAL_PORT is not set[\s\S]*KAFKA_BROKERS is not set[\s\S]*TEXT_ROUTES is not set/,
  )
})
