import { type GuardedName, guardedNames } from '@turnpike/local'
import { expect, it } from 'vitest'
import { judgeHandshakes, type Spoken } from './handshakes.ts'

const POSTGRES_REFUSES = 'E\0\0\0\x7fSFATAL\0C28000\0Mno pg_hba.conf entry for host "192.0.2.9", no encryption\0'
const UNDER_STRANGERS = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'

function under(own: GuardedName): Record<GuardedName, string> {
  const saw = guardedNames.map((name) => [name, name === own ? 'trusted' : UNDER_STRANGERS])
  return Object.fromEntries(saw) as Record<GuardedName, string>
}

const asGuarded: Spoken[] = guardedNames.map((server) => ({
  server,
  under: under(server),
  plain: { postgres: POSTGRES_REFUSES, s3: 'HTTP/1.0 400 Bad Request\r\n', ledger: '\x15\x03\x01\0\x02' }[server as string] ?? '',
}))
const withChange = (server: GuardedName, change: Partial<Spoken>) =>
  judgeHandshakes(asGuarded.map((spoken) => (spoken.server === server ? { ...spoken, ...change } : spoken))).differences

it('has nothing against servers that are trusted under their own authority alone and need TLS', () => {
  expect(judgeHandshakes(asGuarded)).toEqual({ trusted: 6, distrusted: 30, differences: [] })
})

it('names who is not trusted, is trusted by too many, or could not be asked', () => {
  const changed = (name: GuardedName, saw: string) => ({ under: { ...under('redis'), [name]: saw } })
  expect(withChange('redis', changed('redis', 'ERR_TLS_CERT_ALTNAME_INVALID'))).toEqual([
    'redis under the authority of redis: ERR_TLS_CERT_ALTNAME_INVALID',
  ])
  expect(withChange('redis', changed('kafka', 'trusted'))).toEqual(['redis under the authority of kafka: trusted'])
  expect(withChange('redis', changed('s3', 'timeout'))).toEqual(['redis under the authority of s3: timeout'])
  expect(judgeHandshakes(asGuarded.slice(1)).differences).toEqual([`${guardedNames[0]} was not spoken to`])
})

it('names who answers without TLS', () => {
  const answers: Partial<Record<GuardedName, string>> = {
    ...{
      kafka: '\0\0\x01\0',
      redis: '-NOAUTH Authentication required.\r\n',
      postgres: 'R\0\0\0\x17\0\0\0\x0a',
      s3: 'HTTP/1.1 403 Forbidden',
    },
    ...{ ledger: 'HTTP/1.1 200 OK', facilitator: 'HTTP/1.1 401 Unauthorized' },
  }
  for (const [server, plain] of Object.entries(answers)) {
    expect(withChange(server as GuardedName, { plain })).toEqual([`${server} answers without TLS: ${JSON.stringify(plain)}`])
  }
})
