import { createHmac, timingSafeEqual } from 'node:crypto'

/** The two documented values that stand for "this call came from elsewhere". */
const accepted = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'])

// Opaque to clients and the same in every run, so that a conversation outlives a restart.
const key = 'sandbox thought signature'
const seedBytes = 24
const macBytes = 32

export function signThought(seed: string): string {
  const nonce = mac(`seed:${seed}`).subarray(0, seedBytes)
  return Buffer.concat([nonce, mac(nonce)]).toString('base64')
}

export function isThoughtSignature(signature: string): boolean {
  if (accepted.has(signature)) return true
  const bytes = Buffer.from(signature, 'base64')
  if (bytes.length !== seedBytes + macBytes) return false
  return timingSafeEqual(mac(bytes.subarray(0, seedBytes)), bytes.subarray(seedBytes))
}

function mac(data: string | Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
