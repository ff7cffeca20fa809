import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Home } from '../home.ts'
import { keptSecret } from '../parts/secret-file.ts'
import { type Credentials, credentialFiles, keptAuthority } from './authority.ts'

/** Whose connections those are: the data services and our own that others call. */
export const guardedNames = ['kafka', 'postgres', 'redis', 's3', 'ledger', 'facilitator'] as const
export type GuardedName = (typeof guardedNames)[number]

/** What a stack has whose every connection between its own parts is encrypted and authenticated. */
export interface Guards {
  readonly credentials: Readonly<Record<GuardedName, Credentials>>
  /** The authority's certificate, as services are given it. */
  readonly caFile: string
  /** Of the HTTPS servers among our services. */
  readonly serverFiles: Readonly<Record<'ledger' | 'facilitator', { cert: string; key: string }>>
  readonly facilitatorToken: string
  readonly auditToken: string
}

/** The same authority and tokens each time; fresh certificates. */
export async function guardsOf(home: Home): Promise<Guards> {
  const folder = home.dataOf('authority')
  const authority = await keptAuthority(folder)
  const issued = await Promise.all(guardedNames.map(async (name) => [name, await authority.issue(name)] as const))
  const credentials = Object.fromEntries(issued) as Record<GuardedName, Credentials>
  const files = (name: 'ledger' | 'facilitator') => credentialFiles(join(folder, name), credentials[name])
  const tokens = keptTokens(home)
  return {
    credentials,
    caFile: files('ledger').ca,
    serverFiles: { ledger: files('ledger'), facilitator: files('facilitator') },
    ...tokens,
  }
}

export function keptTokens(home: Home): { readonly facilitatorToken: string; readonly auditToken: string } {
  const fresh = () => randomBytes(32).toString('base64url')
  return keptSecret(join(home.dataOf('authority'), 'tokens.json'), () => ({ facilitatorToken: fresh(), auditToken: fresh() }))
}
