import { randomBytes } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import { getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export type SignTask = { required: PaymentRequired; privateKeys: readonly Hex[]; count: number; validBefore: number }

const { required, privateKeys, count, validBefore } = workerData as SignTask
const [accepted] = required.accepts
if (accepted === undefined) throw new Error('the challenge accepts nothing')
const accounts = privateKeys.map((key) => privateKeyToAccount(key))
const { name, version } = accepted.extra as { name: string; version: string }
const domain = { name, version, chainId: Number(accepted.network.split(':')[1]), verifyingContract: getAddress(accepted.asset) }

const headers: string[] = []
for (let index = 0; index < count; index++) {
  const account = accounts[index % accounts.length]
  if (account === undefined) throw new Error('no wallet to sign with')
  const authorization = {
    from: account.address,
    to: getAddress(accepted.payTo),
    value: accepted.amount,
    validAfter: '0',
    validBefore: String(validBefore),
    nonce: `0x${randomBytes(32).toString('hex')}` as Hex,
  }
  const signature = await account.signTypedData({
    domain,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: { ...authorization, value: BigInt(accepted.amount), validAfter: 0n, validBefore: BigInt(validBefore) },
  })
  headers.push(
    encodePaymentSignatureHeader({
      x402Version: 2,
      resource: required.resource,
      accepted,
      payload: { authorization, signature },
    }),
  )
}
parentPort?.postMessage(headers)
