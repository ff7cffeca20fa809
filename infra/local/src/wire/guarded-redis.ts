import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { REDIS_RIGHTS, redisRules } from '@turnpike/access'
import { keptPasswords, operator } from './accounts.ts'
import { type Credentials, credentialFiles } from './authority.ts'

/** Instead of `--port`: TLS alone, an account per principal, and nobody without one. */
export function guardedArguments(dir: string, port: number, guard: Credentials): string[] {
  const files = credentialFiles(join(dir, 'tls'), guard)
  const accounts = join(dir, 'users.acl')
  writeFileSync(accounts, usersFile(dir), { mode: 0o600 })
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', files.cert, '--tls-key-file', files.key, '--tls-ca-cert-file', files.ca],
    ...['--aclfile', accounts],
  ]
}

function usersFile(dir: string): string {
  const passwords = keptPasswords(dir)
  const digest = (password: string) => `#${createHash('sha256').update(password).digest('hex')}`
  return `${[
    'user default off',
    `user ${operator} on ${digest(passwords[operator])} ~* &* +@all`,
    ...Object.entries(REDIS_RIGHTS).map(([principal, right]) => {
      const password = passwords[principal as keyof typeof passwords]
      return `user ${principal} on ${digest(password)} ${redisRules(right).join(' ')}`
    }),
  ].join('\n')}\n`
}
