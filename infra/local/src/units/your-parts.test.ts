import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { afterEach, expect, it, vi } from 'vitest'
import { homeAt, makeHome } from '../home.ts'
import { keptIdentity } from '../identity.ts'
import { startPart } from '../parts/start-part.ts'
import { readSettings } from '../settings.ts'
import { scratchFolder } from '../testing/scratch-folder.ts'
import { keptPasswords, operator } from '../wire/accounts.ts'
import { newAuthority } from '../wire/authority.ts'
import { trusting } from '../wire/guarded-s3.ts'
import { planUnits } from './plan-units.ts'
import { portNames } from './port-names.ts'
import type { Unit } from './unit.ts'
import { wire } from './wiring.ts'

// Dependencies of one's own that show certificates of a private authority.

afterEach(() => vi.unstubAllEnvs())

function unitOf(name: string, folder: string, env: Record<string, string>): Unit {
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value)
  const settings = readSettings({ TURNPIKE_HOME: folder, ...env })
  const home = homeAt(folder)
  makeHome(home)
  const ports = Object.fromEntries(portNames(settings).map((port, index) => [port, 20_000 + index]))
  const unit = planUnits(wire(settings, home, keptIdentity(home), ports)).find((each) => each.name === name)
  if (unit === undefined) throw new Error(`no ${name}`)
  return unit
}

it('a store of yours is asked for its bucket under its own authority', async () => {
  using folder = scratchFolder()
  const { endpoint, accessKeyId, secretAccessKey, guarded, stop } = await startPart('s3', {
    dir: join(folder.path, 's3'),
    guard: await (await newAuthority()).issue('s3'),
  })
  const caFile = join(folder.path, 'ca.pem')
  writeFileSync(caFile, guarded?.ca ?? '')
  const yours = {
    ...{ S3_ENDPOINT: endpoint, S3_BUCKET: 'shop', S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
    ...{ S3_FORCE_PATH_STYLE: 'true' },
  }
  const client = new S3Client({
    ...{ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } },
    ...trusting(guarded?.ca),
  })
  const isThere = () =>
    client.send(new HeadBucketCommand({ Bucket: 'shop' })).then(
      () => true,
      () => false,
    )
  const fill = (env: Record<string, string>) => unitOf('s3', folder.path, { ...yours, ...env }).fill(() => {})
  await expect(fill({})).rejects.toThrow(/certificate/)
  expect(await isThere()).toBe(false)
  await fill({ S3_TLS_CA_FILE: caFile })
  expect(await isThere()).toBe(true)
  await fill({ S3_TLS_CA: guarded?.ca ?? '' })
  client.destroy()
  await stop()
})

it('the topics are made in a Kafka of yours with what the services use to get in', async () => {
  using folder = scratchFolder()
  const part = await startPart('kafka', {
    dir: join(folder.path, 'kafka'),
    guard: await (await newAuthority()).issue('kafka'),
  })
  const yours = {
    KAFKA_BROKERS: part.brokers.join(','),
    KAFKA_TLS: 'on',
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: operator,
    KAFKA_SASL_PASSWORD: keptPasswords(part.dir)[operator],
  }
  const fill = (env: Record<string, string>) => unitOf('kafka', folder.path, { ...yours, ...env }).fill(() => {})
  const log = () => readFileSync(homeAt(folder.path).logOf('kafka', 0), 'utf8')
  await expect(fill({})).rejects.toThrow(/Making the topics failed; see .*kafka/)
  expect(log()).not.toContain('topics are there')
  await fill({ KAFKA_TLS_CA: part.guarded?.ca ?? '' })
  expect(log()).toMatch(/all \d+ topics are there/)
  await part.stop()
})
