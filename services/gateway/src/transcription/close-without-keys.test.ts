import { createLogger } from '@turnpike/service'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ClosedModels } from '../closed-models.ts'
import { closeWithoutKeys } from './close-without-keys.ts'

const logger = createLogger({ service: 'test', format: 'json', level: 'silent' })
const SCRIBE = 'el/scribe-v2'
let closed: Record<string, { code: 'provider_overloaded'; retryAfterS: number }> = {}
const inner: ClosedModels = { closure: (model) => closed[model], closed: () => Object.keys(closed), close: vi.fn() }
let answers = true
const keysAnswer = vi.fn(async () => answers)

beforeEach(() => {
  vi.useFakeTimers()
  closed = {}
  answers = true
  keysAnswer.mockClear()
})
afterEach(() => vi.useRealTimers())

const watch = (models: readonly string[] = [SCRIBE]) => closeWithoutKeys({ closedModels: inner, models, keysAnswer, logger })

it('a key service that is away at the start closes transcription and nothing else, before anybody is asked to pay', async () => {
  answers = false
  const models = await watch()
  expect(models.closure(SCRIBE)).toEqual({ code: 'provider_unavailable', retryAfterS: 2 })
  expect(models.closure('gm-2.5-flash')).toBeUndefined()
  expect(models.closed()).toEqual([SCRIBE])
  models.close()
})

it('one that goes away closes it within ten seconds, and one that is back opens it within two', async () => {
  const models = await watch()
  expect(models.closure(SCRIBE)).toBeUndefined()
  answers = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(models.closure(SCRIBE)?.code).toBe('provider_unavailable')
  answers = true
  await vi.advanceTimersByTimeAsync(2_000)
  expect(models.closure(SCRIBE)).toBeUndefined()
  models.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(keysAnswer).toHaveBeenCalledTimes(3)
  expect(inner.close).toHaveBeenCalled()
})

it('what the workers closed stays closed', async () => {
  closed = {
    'gm-2.5-flash': { code: 'provider_overloaded', retryAfterS: 7 },
    [SCRIBE]: { code: 'provider_overloaded', retryAfterS: 7 },
  }
  const models = await watch()
  expect(models.closure(SCRIBE)?.code).toBe('provider_overloaded')
  expect(models.closed()).toEqual(['gm-2.5-flash', SCRIBE])
  models.close()
})

it('asks nobody where no model needs a key', async () => {
  const models = await watch([])
  expect(models).toBe(inner)
  expect(keysAnswer).not.toHaveBeenCalled()
})
