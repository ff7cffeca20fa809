import { PROVIDER_REASONS } from '@turnpike/telemetry/metrics'
import { expect, it } from 'vitest'
import { FAILURE_REASONS } from './provider-outcome.ts'

it('every reason of a failure is a label value of its own in the metrics', () => {
  expect([...PROVIDER_REASONS].sort()).toEqual(['none', ...FAILURE_REASONS].sort())
})
