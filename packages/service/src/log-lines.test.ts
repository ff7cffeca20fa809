import { PassThrough } from 'node:stream'
import { traceFields } from '@turnpike/telemetry/tracing'
import { pino } from 'pino'
import { expect, it } from 'vitest'

it('a log line says nothing of the lines before it: pino writes its fields into what the mixin returns', () => {
  const out = new PassThrough()
  const log = pino({ mixin: traceFields }, out)
  log.info({ requestId: 'one', error: 'of the first' }, 'first')
  log.info({ jobId: 'two' }, 'second')
  const [, second] = String(out.read()).trim().split('\n')
  expect(JSON.parse(second ?? '')).not.toHaveProperty('requestId')
  expect(JSON.parse(second ?? '')).not.toHaveProperty('error')
})
