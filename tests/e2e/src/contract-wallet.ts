import { randomBytes } from 'node:crypto'
import { connectChain, mintUsdc, type Stack } from '@turnpike/local'
import type { Hex } from '@turnpike/payments'
import type { TestWallet } from '@turnpike/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { resigned } from './authorizations.ts'

export type ContractWallet = {
  address: Hex
  owner: TestWallet
  /** The payment of this header as one by the contract, signed by its owner or by somebody else. */
  sign(header: string, signer?: TestWallet): Promise<string>
}

/** A wallet that is a contract: its isValidSignature (ERC-1271) recovers the key and compares it with the owner's. */
export async function contractWallet(stack: Stack, amountAtomic: bigint): Promise<ContractWallet> {
  const owner = newKey()
  const address: Hex = `0x${randomBytes(20).toString('hex')}`
  const chain = connectChain(stack.chain.rpcUrl)
  await chain.setCode({ address, bytecode: codeFor(owner.address) })
  await mintUsdc(chain, address, amountAtomic)
  return { address, owner, sign: (header, signer = owner) => resigned(signer, header, { from: address }) }
}

export function newKey(): TestWallet {
  const privateKey = generatePrivateKey()
  return { privateKey, address: privateKeyToAddress(privateKey) }
}

/** ecrecover(hash, v, r, s) == owner ? 0x1626ba7e : 0, with the signature where the ABI puts it: r at 0x64, s at 0x84, v at 0xa4. */
function codeFor(owner: Hex): Hex {
  const hash = '600435600052'
  const v = '60a43560f81c602052'
  const rAndS = '606435604052608435606052'
  const recover = '602060006080600060015afa50'
  const compare = `60005173${owner.slice(2).toLowerCase()}14`
  const answer = '631626ba7e0260e01b60005260206000f3'
  return `0x${hash}${v}${rAndS}${recover}${compare}${answer}`
}
