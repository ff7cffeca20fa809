/** How a dependency says that we are not who it wants, and which variables answer for it. */
export type WireNames = {
  /** In the middle of a sentence. */
  what: string
  ca: string
  credentials: string
  isRefusal(error: Error): boolean
}

const NOT_SIGNED = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]
const OUT_OF_DATE = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']
const DEEPEST = 6

/**
 * A sentence for whoever configured the connection, when it is the configuration that is at fault and waiting will not mend it;
 * undefined for everything else. Holds no secret.
 */
export function wireFault(error: unknown, names: WireNames): string | undefined {
  for (const each of chainOf(error)) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : ''
    if (NOT_SIGNED.includes(code))
      return `The certificate of ${names.what} is not signed by an authority that is trusted here: see ${names.ca}.`
    if (OUT_OF_DATE.includes(code)) return `The certificate of ${names.what} is out of date.`
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return `The certificate of ${names.what} is for another host than the one that is configured.`
    if (NO_TLS.includes(code)) return `${capital(names.what)} does not speak TLS where it is configured.`
    if (names.isRefusal(each)) return `${capital(names.what)} refuses ${names.credentials}.`
  }
  return undefined
}

function capital(what: string): string {
  return what.charAt(0).toUpperCase() + what.slice(1)
}

function chainOf(error: unknown): Error[] {
  const found: Error[] = []
  const seen: unknown[] = [error]
  while (seen.length > 0 && found.length < DEEPEST) {
    const next = seen.shift()
    if (!(next instanceof Error) || found.includes(next)) continue
    found.push(next)
    seen.push(next.cause, ...['originalError', 'lastNodeError', 'driverAdapterError'].map((name) => Reflect.get(next, name)))
    if (next instanceof AggregateError) seen.push(...next.errors)
  }
  return found
}
