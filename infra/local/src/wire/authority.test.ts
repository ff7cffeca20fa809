import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { newAuthority } from './authority.ts'
import { guardedSettings } from './guarded-kafka.ts'

it('a certificate holds for loopback and for the addresses and names that it is issued for', async () => {
  const authority = await newAuthority()
  const plain = new X509Certificate((await authority.issue('ledger')).cert)
  const elsewhere = new X509Certificate((await authority.issue('ledger', ['192.0.2.1', 'ledger.shop.svc'])).cert)
  for (const certificate of [plain, elsewhere]) {
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.verify(new X509Certificate(authority.ca).publicKey)).toBe(true)
  }
  expect(elsewhere.checkIP('192.0.2.1')).toBe('192.0.2.1')
  expect(elsewhere.checkHost('ledger.shop.svc')).toBe('ledger.shop.svc')
  expect(plain.checkIP('192.0.2.1')).toBeUndefined()
  expect(plain.checkHost('ledger.shop.svc')).toBeUndefined()
})

it('a guarded broker listens where its clients are told to go, its controller at loopback', async () => {
  using folder = scratchFolder()
  const guard = await (await newAuthority()).issue('kafka', ['192.0.2.1'])
  const place = { dir: join(folder.path, 'kafka'), host: '192.0.2.1', port: 9_092, sidePort: 9_093 }
  expect(guardedSettings(place, guard)).toMatchObject({
    listeners: 'CLIENTS://192.0.2.1:9092,CONTROLLER://127.0.0.1:9093',
    'advertised.listeners': 'CLIENTS://192.0.2.1:9092',
    'listener.security.protocol.map': 'CLIENTS:SASL_SSL,CONTROLLER:SSL',
  })
})
