import { type GuardedName, guardedNames } from '@turnpike/local'

/** What came of speaking to a server: TLS under each authority, and without TLS. */
export type Spoken = {
  server: GuardedName
  /** By whose authority was trusted: `trusted`, or the code of what was wrong. */
  under: Readonly<Record<GuardedName, string>>
  /** What it answered to a greeting without TLS, as Latin-1; empty when it hung up. */
  plain: string
}

/** OpenSSL has several names for a certificate that nobody who is trusted has signed. */
const DISTRUSTED = /^(UNABLE_TO_|CERT_SIGNATURE_FAILURE|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_UNTRUSTED)/
const ALERT_OF_TLS = '\x15\x03'
/** A refusal in words of the protocol, or nothing at all. */
const REFUSED = /^($|HTTP\/1\.[01] 400|E[\s\S]*no (pg_hba\.conf entry|encryption))/

/** Each server proves who it is to those who trust its own authority, to nobody else, and says nothing without TLS. */
export function judgeHandshakes(all: readonly Spoken[]): { trusted: number; distrusted: number; differences: string[] } {
  const missing = guardedNames.filter((name) => !all.some(({ server }) => server === name))
  const differences = missing.map((name) => `${name} was not spoken to`)
  let trusted = 0
  let distrusted = 0
  for (const { server, under, plain } of all) {
    for (const authority of guardedNames) {
      const saw = under[authority]
      if (authority === server && saw === 'trusted') trusted++
      else if (authority !== server && DISTRUSTED.test(saw)) distrusted++
      else differences.push(`${server} under the authority of ${authority}: ${saw}`)
    }
    if (!plain.startsWith(ALERT_OF_TLS) && !REFUSED.test(plain))
      differences.push(`${server} answers without TLS: ${JSON.stringify(plain.slice(0, 80))}`)
  }
  return { trusted, distrusted, differences }
}
