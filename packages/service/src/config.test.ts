import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigError, flag, integer, list, loadConfig, oneOf, optional, parsedBy, secret, text, url } from './config.ts'

const table = {
  port: integer('PORT', { min: 1, max: 65_535 }),
  database: url('DATABASE_URL', { protocols: ['postgres:'] }),
  token: secret('TOKEN', { minLength: 8 }),
  format: oneOf('FORMAT', ['json', 'pretty'], { default: 'json' }),
  models: list('MODELS', { default: [] }),
  timeoutMs: optional(integer('TIMEOUT_MS', { min: 1 })),
  tls: flag('TLS', { default: false }),
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig('gateway', table, env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('loadConfig', () => {
  it('reads typed values and fills in defaults; an empty value is an absent one', () => {
    const config = loadConfig('gateway', table, {
      PORT: '8402',
      DATABASE_URL: 'postgres://a:b@c/d/',
      TOKEN: 'long-enough',
      MODELS: 'a, b,',
      FORMAT: '',
    })
    expect(config).toEqual({
      port: 8402,
      database: 'postgres://a:b@c/d',
      token: 'long-enough',
      format: 'json',
      models: ['a', 'b'],
      timeoutMs: undefined,
      tls: false,
    })
  })

  it('lists every problem at once', () => {
    const problems = problemsOf({ PORT: '0x50', FORMAT: 'xml', TIMEOUT_MS: '1.5', TLS: 'yes' })
    expect(problems).toHaveLength(6)
    expect(problems.join('\n')).toMatch(/PORT must be a whole number from 1 to 65535, it is "0x50"/)
    expect(problems.join('\n')).toMatch(/DATABASE_URL is not set/)
  })

  it('prints no secret, whatever is wrong with it', () => {
    const problems = problemsOf({ PORT: '1', DATABASE_URL: 'mysql://root:hunter2@db', TOKEN: 'hunter2' })
    expect(problems).toHaveLength(2)
    expect(problems.join('\n')).not.toContain('hunter2')
  })

  it('reads a mounted secret from the file that NAME_FILE names', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'turnpike-config-')), 'token')
    writeFileSync(file, 'from-a-file\n')
    expect(loadConfig('x', { token: secret('TOKEN') }, { TOKEN_FILE: file }).token).toBe('from-a-file')
    expect(() => loadConfig('x', { token: secret('TOKEN') }, { TOKEN_FILE: `${file}.missing` })).toThrow(
      /TOKEN_FILE names a file that cannot be read/,
    )
  })

  it('names what a parser refuses', () => {
    const keys = parsedBy('KEYS', () => {
      throw new Error('key 1 is too short')
    })
    expect(() => loadConfig('x', { keys }, { KEYS: 'abc' })).toThrow(/KEYS is not usable: key 1 is too short/)
    expect(() => loadConfig('x', { name: text('NAME', { pattern: /^[a-z]+$/, hint: 'lower case' }) }, { NAME: 'A' })).toThrow(
      /NAME must be lower case/,
    )
  })
})
