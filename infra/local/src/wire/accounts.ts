import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { PRINCIPALS, type Principal } from '@turnpike/access'
import { keptSecret } from '../parts/secret-file.ts'

/** Whoever administers a part; no service is it. */
export const operator = 'operator'
export type Account = Principal | typeof operator

/** How a part is reached that has TLS and accounts. */
export interface GuardedAccess {
  /** PEM. */
  readonly ca: string
  readonly passwords: Readonly<Record<Account, string>>
}

/** A password for every account, kept beside the data that they open. */
export function keptPasswords(folder: string): Readonly<Record<Account, string>> {
  return keptSecret(join(folder, 'accounts.json'), () => {
    const fresh = (name: Account) => [name, randomBytes(24).toString('base64url')] as const
    return Object.fromEntries([operator, ...PRINCIPALS].map((name) => fresh(name as Account))) as Record<Account, string>
  })
}
