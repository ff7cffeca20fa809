import { RpcRequestError } from 'viem'
import { expect, it } from 'vitest'
import { describeRpcError } from './describe-rpc-error.ts'

it('keeps the node’s words, without what was in the request and without addresses that hold a key', () => {
  const message = `exceeds block gas limit, see https://rpc.example/v2/key, tx ${'ab'.repeat(70)} 0x${'cd'.repeat(70)}`
  const url = 'http://127.0.0.1/key'
  const error = new RpcRequestError({ body: { params: ['0xsigned'] }, error: { code: -32000, message }, url })
  expect(describeRpcError(error)).toBe('RpcRequestError: exceeds block gas limit, see [url] tx 0x… 0x…')
})
