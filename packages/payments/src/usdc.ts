import { parseAbi } from 'viem'

/** CAIP-2 name of Base, the only network that payments are taken on. */
export const NETWORK = 'eip155:8453'
export const CHAIN_ID = 8453

/** USDC on Base, EIP-55 spelling. Compare addresses lower-cased. */
export const USDC_ADDRESS = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** The EIP-712 domain of that contract. Its hash is `DOMAIN_SEPARATOR()` on chain. */
export const USDC_DOMAIN = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC_ADDRESS } as const

/** What is called on the token and read back from it. */
export const USDC_ABI = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
])

/** Lower-cased addresses, hashes and signatures. */
export type Hex = `0x${string}`
