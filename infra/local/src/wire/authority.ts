// The certificate library's own parts find each other through it.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { keptSecret } from '../parts/secret-file.ts'

/** A certificate with its key and the authority that signed it, all PEM. */
export interface Credentials {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

export interface Authority {
  /** PEM. */
  readonly ca: string
  /** For a server at this machine's loopback, or a client of that name; `alsoAt`: addresses and DNS names under which others reach it. */
  issue(name: string, alsoAt?: readonly string[]): Promise<Credentials>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 24 * 3_600_000
const lifeDays = 365

/** An authority of its own, which exists in this process only. */
export async function newAuthority(): Promise<Authority> {
  const { cert, key } = await selfSigned()
  return authorityOf({ cert, key })
}

/** The authority of a home: clients that trust it once trust it after a restart. */
export async function keptAuthority(folder: string): Promise<Authority> {
  const fresh = await selfSigned()
  return authorityOf(keptSecret(join(folder, 'authority.json'), () => fresh))
}

/** Writes the three as files, of which only their owner may read the key; programs that are not ours take paths. */
export function credentialFiles(folder: string, { ca, cert, key }: Credentials): { ca: string; cert: string; key: string } {
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => {
    const path = join(folder, name)
    rmSync(path, { force: true })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return { ca: write('ca.pem', ca), cert: write('cert.pem', cert), key: write('key.pem', key) }
}

interface Pair {
  readonly cert: string
  readonly key: string
}

async function selfSigned(): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    serialNumber: serial(),
    name: 'CN=Turnpike local authority',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
}

function authorityOf({ cert: ca, key }: Pair): Authority {
  return {
    ca,
    async issue(name, alsoAt = []) {
      const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
      const signer = new x509.X509Certificate(ca)
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity(),
        serialNumber: serial(),
        subject: `CN=${name}`,
        issuer: signer.subject,
        publicKey: keys.publicKey,
        signingKey: await privateKeyOf(key),
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          new x509.SubjectAlternativeNameExtension(
            ['127.0.0.1', 'localhost', ...alsoAt].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })),
          ),
          await x509.AuthorityKeyIdentifierExtension.create(await signer.publicKey.export()),
        ],
      })
      return { ca, cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
    },
  }
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + lifeDays * dayMs) }
}

function serial(): string {
  return Buffer.from(webcrypto.getRandomValues(new Uint8Array(16))).toString('hex')
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')
}

async function privateKeyOf(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = x509.PemConverter.decodeFirst(pem)
  return await webcrypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign'])
}
