import { expect, it } from 'vitest'
import { pathOf } from './call.ts'

it.each([
  ['/v1/models', '/v1/models'],
  ['/v1/models?limit=1?/x', '/v1/models'],
  ['/?a', '/'],
  ['http://api.test/v1/models?x', '/v1/models'],
  ['http://api.test', '/'],
  ['*', '/'],
])('the request target %s has the path %s', (target, path) => {
  expect(pathOf(target)).toBe(path)
})
