import { hashDomain, keccak256, toBytes } from 'viem'
import type { Authorization } from './payment-signature.ts'
import { USDC_DOMAIN } from './usdc.ts'

const TYPE_HASH = toBytes(
  keccak256(
    toBytes(
      'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
    ),
  ),
)

/** Constant for one token on one chain, so it is hashed once and not with every signature. */
export const DOMAIN_SEPARATOR = hashDomain({
  domain: { ...USDC_DOMAIN, chainId: BigInt(USDC_DOMAIN.chainId) },
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
  },
})

const DOMAIN_BYTES = toBytes(DOMAIN_SEPARATOR)

/** The EIP-712 digest that the payer signs. Built by hand: viem's generic encoder alone costs more than the recovery. */
export function authorizationDigest(authorization: Authorization): Uint8Array {
  const struct = Buffer.alloc(7 * 32)
  struct.set(TYPE_HASH, 0)
  struct.write(authorization.from.slice(2), 32 + 12, 'hex')
  struct.write(authorization.to.slice(2), 64 + 12, 'hex')
  writeUint256(struct, authorization.value, 96)
  writeUint256(struct, authorization.validAfter, 128)
  writeUint256(struct, authorization.validBefore, 160)
  struct.write(authorization.nonce.slice(2), 192, 'hex')
  const message = Buffer.alloc(2 + 32 + 32)
  message[0] = 0x19
  message[1] = 0x01
  message.set(DOMAIN_BYTES, 2)
  message.set(keccak256(struct, 'bytes'), 34)
  return keccak256(message, 'bytes')
}

function writeUint256(target: Buffer, value: bigint, offset: number): void {
  target.write(value.toString(16).padStart(64, '0'), offset, 'hex')
}
