import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keyring } from './keyring.ts'

/** A bearer capability for one subject: `<key id>.<HMAC-SHA256>`. Never stored: the same key and subject give it again. */
export function tokenFor(keyring: Keyring, subject: string, keyId: string = keyring.activeId): string {
  const key = keyring.keys.get(keyId)
  if (key === undefined) throw new Error('no such token key')
  return `${keyId}.${createHmac('sha256', key).update(subject).digest('base64url')}`
}

/** Compares in constant time; an unknown key id costs the same as a wrong token. */
export function tokenMatches(keyring: Keyring, subject: string, token: string): boolean {
  const keyId = token.slice(0, Math.max(0, token.indexOf('.')))
  const known = keyring.keys.has(keyId)
  const expected = Buffer.from(tokenFor(keyring, subject, known ? keyId : keyring.activeId))
  const presented = Buffer.from(token)
  const comparable = presented.length === expected.length ? presented : expected
  return timingSafeEqual(comparable, expected) && comparable === presented && known
}
