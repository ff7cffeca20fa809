import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Wallet } from './fund-wallet.ts'
import type { Home } from './home.ts'
import { writeAtomically } from './write-atomically.ts'

/** The keys of one stack. All are fresh and random: a signature made on the local chain is valid on Base. */
export interface Identity {
  readonly payTo: Wallet
  readonly wallet: Wallet
  /** Pays the facilitator's gas. */
  readonly signer: Wallet
  readonly contentKeys: string
  readonly internalToken: string
  readonly receiptTokenKeys: string
  readonly mediaCapabilityKeys: string
  /** Wrap the data keys of staged audio. */
  readonly stagingKeys: string
  /** A JSON array of Ed25519 private JWKs. */
  readonly receiptSigningKeys: string
}

export function keptIdentity(home: Home): Identity {
  const kept: Partial<Identity> = existsSync(home.identityFile) ? JSON.parse(readFileSync(home.identityFile, 'utf8')) : {}
  // What a newer version needs besides is added to the identity of an older one.
  const identity = { ...freshIdentity(), ...kept }
  writeAtomically(home.identityFile, identity)
  return identity
}

/** New keys for everything. */
export function freshIdentity(): Identity {
  return {
    payTo: freshWallet(),
    wallet: freshWallet(),
    signer: freshWallet(),
    contentKeys: `content-1:${randomBytes(32).toString('base64')}`,
    internalToken: randomBytes(32).toString('base64url'),
    receiptTokenKeys: `receipt-1:${randomBytes(32).toString('base64')}`,
    mediaCapabilityKeys: `media-1:${randomBytes(32).toString('base64')}`,
    stagingKeys: `staging-1:${randomBytes(32).toString('base64')}`,
    receiptSigningKeys: JSON.stringify([
      { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'receipt-1', alg: 'EdDSA', use: 'sig' },
    ]),
  }
}

function freshWallet(): Wallet {
  const privateKey: Hex = generatePrivateKey()
  return { address: privateKeyToAddress(privateKey), privateKey }
}
