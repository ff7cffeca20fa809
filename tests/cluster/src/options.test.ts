import { UsageError } from '@turnpike/testing/command-line'
import { expect, it } from 'vitest'
import { readOptions } from './options.ts'

it('takes any cluster and any way to bring images there', () => {
  const env = {
    TURNPIKE_IMAGE_LOADER: 'kind load  docker-image',
    TURNPIKE_BESIDE_HOST: '192.0.2.1',
    TURNPIKE_GATEWAY_VIA: 'node-port',
  }
  expect(readOptions(['--only', 'evictions, kill -9', '--clients', '3', '--seed', '7'], env)).toMatchObject({
    ...{ imageLoader: ['kind', 'load', 'docker-image'], besideHost: '192.0.2.1', clientCidr: '192.0.2.1/32', via: 'node-port' },
    ...{ only: ['evictions', 'kill -9'], clients: 3, seed: 7, tag: 'dev', upgrade: undefined },
  })
  expect(readOptions([], {})).toMatchObject({ imageLoader: undefined, via: 'cluster-ip', guarded: false })
  expect(readOptions(['--guarded'], {})).toMatchObject({ guarded: true, upgrade: undefined })
})

it('says what it does not take', () => {
  expect(() => readOptions(['--clients', '0'], {})).toThrow(UsageError)
  expect(() => readOptions(['--nonsense'], {})).toThrow(UsageError)
  expect(() => readOptions(['--guarded', '--upgrade'], {})).toThrow(UsageError)
  expect(() => readOptions([], { TURNPIKE_GATEWAY_VIA: 'pigeon' })).toThrow(UsageError)
})
