import { createPrivateKey, X509Certificate } from 'node:crypto'
import { parsedBy, type Variable } from '../config.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

/** PEM of one certificate or several (a bundle, or a chain). NAME_FILE names its file, as for every variable. */
export function certificates(name: string): Variable<string> {
  return parsedBy(name, (pem) => {
    const found = pem.match(CERTIFICATE) ?? []
    if (found.length === 0) throw new Error('it holds no certificate in PEM')
    for (const certificate of found) checked(() => new X509Certificate(certificate), 'it holds a certificate that cannot be read')
    return pem
  })
}

/** PEM of a private key without a passphrase. */
export function privateKey(name: string): Variable<string> {
  return parsedBy(name, (pem) => {
    checked(() => createPrivateKey(pem), 'it is no private key in PEM, or has a passphrase')
    return pem
  })
}

/** OpenSSL's own words may repeat what they could not read. */
function checked(parse: () => unknown, sentence: string): void {
  try {
    parse()
  } catch {
    throw new Error(sentence)
  }
}
