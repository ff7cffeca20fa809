import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Config, ConfigError, type ConfigTable, loadConfig } from '../config.ts'
import { bearerCheck, bearerHeader, bearerTokens } from './bearer-tokens.ts'
import { KAFKA_VARIABLES, kafkaWire } from './kafka-wire.ts'
import { REDIS_VARIABLES, redisWire } from './redis-wire.ts'
import { SERVER_VARIABLES, serverWire } from './server-wire.ts'

const CERT = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIUF1bOnYF6gqq2Pp6lDrfd9vp6gKMwCgYIKoZIzj0EAwIw
-----END CERTIFICATE-----`

const load = <Table extends ConfigTable>(table: Table, env: Record<string, string>): Config<Table> =>
  loadConfig('test', table, env)

function problemOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.join('; ')
    throw error
  }
  return 'none'
}

describe('the wire to Kafka', () => {
  const wire = (env: Record<string, string>) => kafkaWire('test', load(KAFKA_VARIABLES, { KAFKA_BROKERS: 'a:1,b:2', ...env }))
  const scram = { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'me', KAFKA_SASL_PASSWORD: 'secret' }

  it('is plain unless it is told otherwise', () => {
    expect(wire({})).toEqual({ brokers: ['a:1', 'b:2'] })
    expect(wire({ KAFKA_TLS: 'on' })).toEqual({ brokers: ['a:1', 'b:2'], ssl: { rejectUnauthorized: true } })
    expect(wire({ KAFKA_TLS: 'on', ...scram }).sasl).toEqual({ mechanism: 'scram-sha-512', username: 'me', password: 'secret' })
  })

  it.each([
    [{ KAFKA_SASL_MECHANISM: 'scram-sha-256' }, 'KAFKA_SASL_MECHANISM needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'],
    [{ KAFKA_SASL_PASSWORD: 'secret' }, 'need KAFKA_SASL_MECHANISM'],
    [{ ...scram, KAFKA_SASL_MECHANISM: 'plain' }, 'needs KAFKA_TLS=on'],
    [{ KAFKA_TLS_CA: 'no certificate' }, 'KAFKA_TLS_CA is not usable: it holds no certificate in PEM'],
    [{ KAFKA_TLS_CA: CERT }, 'KAFKA_TLS_CA is not usable: it holds a certificate that cannot be read'],
    [{ KAFKA_TLS: 'yes' }, 'KAFKA_TLS must be one of on, off'],
  ])('says what is wrong with %o, and never the secret', (env, words) => {
    const problem = problemOf(() => wire(env))
    expect(problem).toContain(words)
    expect(problem).not.toContain('secret')
  })
})

describe('the wire to Redis', () => {
  const wire = (env: Record<string, string>) => redisWire('test', load(REDIS_VARIABLES, env))

  it('is a server by its URL, with the account of its own variables before that of the URL', () => {
    const nodes = [{ host: 'h', port: 6379 }]
    expect(wire({ REDIS_URL: 'redis://h' })).toEqual({ nodes, isCluster: false, database: 0 })
    const url = 'rediss://u:p%40@h/2'
    expect(wire({ REDIS_URL: url })).toEqual({ nodes, isCluster: false, database: 2, username: 'u', password: 'p@', tls: {} })
    expect(wire({ REDIS_URL: url, REDIS_USERNAME: 'v', REDIS_PASSWORD: 'q' })).toMatchObject({ username: 'v', password: 'q' })
  })

  it('is a cluster by one of its nodes or several', () => {
    expect(wire({ REDIS_URL: 'rediss://a:1,rediss://b', REDIS_CLUSTER: 'on' })).toEqual({
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
      isCluster: true,
      database: 0,
      tls: {},
    })
  })

  it.each([
    [{ REDIS_URL: 'redis://a,redis://b' }, 'needs REDIS_CLUSTER=on'],
    [{ REDIS_URL: 'redis://a,rediss://b', REDIS_CLUSTER: 'on' }, 'for all nodes, or for none'],
    [{ REDIS_URL: 'redis://a/3', REDIS_CLUSTER: 'on' }, 'a cluster has only the first'],
    [{ REDIS_URL: 'redis://a/x' }, 'not the number of a database'],
    [{ REDIS_URL: 'http://a:secret@b' }, 'must begin with redis:// or rediss://'],
  ])('says what is wrong with %o', (env, words) => {
    const problem = problemOf(() => wire(env))
    expect(problem).toContain(words)
    expect(problem).not.toContain('secret')
  })
})

describe('tokens', () => {
  const read = (TOKEN: string) => load({ token: bearerTokens('TOKEN') }, { TOKEN }).token

  it('are one or several: the first is sent, each is accepted and nothing else', () => {
    const tokens = read('the-new-one-of-the-two, the-old-one-of-the-two')
    expect(bearerHeader(tokens)).toEqual({ authorization: 'Bearer the-new-one-of-the-two' })
    expect(bearerHeader(undefined)).toEqual({})
    const isAllowed = bearerCheck(tokens)
    const given = [
      'Bearer the-new-one-of-the-two',
      'Bearer the-old-one-of-the-two',
      'the-new-one-of-the-two',
      'Bearer ',
      '',
      undefined,
    ]
    expect(given.map(isAllowed)).toEqual([true, true, false, false, false, false])
    expect(bearerCheck([])('Bearer ')).toBe(false)
  })

  it('are refused when one could be guessed', () => {
    for (const token of ['short', 'the-new-one-of-the-two,short', 'the-new-one-of-the-two,']) {
      expect(problemOf(() => read(token))).toContain('at least 16 characters')
    }
  })
})

it('a server has a certificate and its key, or neither', () => {
  const key = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  expect(serverWire('test', load(SERVER_VARIABLES, {}))).toBeUndefined()
  expect(problemOf(() => serverWire('test', load(SERVER_VARIABLES, { SERVER_TLS_KEY: key })))).toContain('go together')
  expect(problemOf(() => load(SERVER_VARIABLES, { SERVER_TLS_KEY: 'no key' }))).toContain('it is no private key in PEM')
})
