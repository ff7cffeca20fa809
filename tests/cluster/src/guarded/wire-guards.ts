import { type AddressByPart, type Credentials, type GuardedName, guardedNames, newAuthority } from '@turnpike/local'
import { RELEASE } from '../kube/kube.ts'

/** What each server shows, with the authority that vouches for it. */
export type WireGuards = Readonly<Record<GuardedName, Credentials>>

type Passwords = NonNullable<AddressByPart['kafka']['guarded']>['passwords']
/** Of the accounts, in each part that has any. */
export type AccountPasswords = Readonly<Record<'kafka' | 'redis' | 's3', Passwords>>

/** An installation whose every connection between its own parts is encrypted and authenticated. */
export type Guarded = { guards: WireGuards; passwords: AccountPasswords }

/**
 * Certificates for where pods reach each server: the address beside the cluster, the names of the Services in it. Every wire has an
 * authority of its own, so that a pod which was given another wire's reaches nobody.
 */
export async function issueWireGuards(reached: { host: string; namespace: string }): Promise<WireGuards> {
  const issued = guardedNames.map(async (name) => {
    const authority = await newAuthority()
    return [name, await authority.issue(name, addressesOf(name, reached))] as const
  })
  return Object.fromEntries(await Promise.all(issued)) as Record<GuardedName, Credentials>
}

function addressesOf(name: GuardedName, { host, namespace }: { host: string; namespace: string }): string[] {
  if (name !== 'ledger' && name !== 'facilitator') return [host]
  const service = `${RELEASE}-${name}`
  return [service, `${service}.${namespace}`, `${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`]
}
