import { describe, expect, it } from 'vitest'
import { readSettings } from './settings.ts'

describe('settings', () => {
  it('have the defaults of the README', () => {
    const { port, home, demo, replicas, blockTimeSeconds, providerTimeoutMs } = readSettings({})
    expect({ port, demo, blockTimeSeconds, providerTimeoutMs }).toEqual({
      port: 8402,
      demo: true,
      blockTimeSeconds: undefined,
      providerTimeoutMs: undefined,
    })
    expect(home.endsWith('/.local')).toBe(true)
    expect(Object.values(replicas).every((count) => count === 1)).toBe(true)
  })

  it('refuse what is no number, naming the variable', () => {
    expect(() => readSettings({ TURNPIKE_PORT: 'eighty' })).toThrow(
      'TURNPIKE_PORT is "eighty"; it takes a whole number from 1 to 65535.',
    )
    expect(() => readSettings({ TURNPIKE_BLOCK_TIME: '0.5' })).toThrow('TURNPIKE_BLOCK_TIME')
  })

  it('take an empty variable for an unset one', () => {
    expect(readSettings({ TURNPIKE_PORT: '', DATABASE_URL: '', TURNPIKE_DEMO: '' })).toMatchObject({ port: 8402, demo: true })
    expect(readSettings({ DATABASE_URL: '' }).yours.databaseUrl).toBeUndefined()
  })

  it('take dependencies of your own', () => {
    const { yours } = readSettings({
      DATABASE_URL: 'postgres://db/x',
      KAFKA_BROKERS: 'one:9092,two:9092',
      GEMINI_API_KEY: 'a real one',
      S3_ENDPOINT: 'https://s3.internal',
      S3_BUCKET: 'b',
      S3_ACCESS_KEY_ID: 'k',
      S3_SECRET_ACCESS_KEY: 's',
    })
    expect(yours.databaseUrl).toBe('postgres://db/x')
    expect(yours.kafkaBrokers).toEqual(['one:9092', 'two:9092'])
    expect(yours.gemini?.apiKey).toBe('a real one')
    expect(yours.elevenlabs).toBeUndefined()
    expect(yours.s3).toMatchObject({ endpoint: 'https://s3.internal', bucket: 'b', region: 'us-east-1' })
  })

  it('say what a dependency of your own lacks', () => {
    expect(() => readSettings({ S3_ENDPOINT: 'https://s3.internal' })).toThrow('S3_BUCKET')
    expect(() => readSettings({ CHAIN_RPC_URL: 'https://chain.internal' })).toThrow('PAY_TO and FACILITATOR_URL')
  })
})
