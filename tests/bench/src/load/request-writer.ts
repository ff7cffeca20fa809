import type { LoadPlan } from './load-plan.ts'

const KEY_LENGTH = 36

/**
 * The bytes of one connection's requests. What is the same in all of them is written once; an idempotency key of 36 characters is
 * put in its place. The bytes are good until the next call.
 */
export function requestWriter({ url, body }: Pick<LoadPlan, 'url' | 'body'>): (key: string, payment?: string) => Buffer {
  const { host, pathname } = new URL(url)
  const toKey = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\nx-idempotency-key: `
  const fromKey = `\r\ncontent-length: ${Buffer.byteLength(body)}`
  const unpaid = Buffer.from(`${toKey}${' '.repeat(KEY_LENGTH)}${fromKey}\r\n\r\n${body}`)
  return (key, payment) => {
    if (key.length !== KEY_LENGTH) throw new Error(`a key of ${KEY_LENGTH} characters is needed`)
    if (payment !== undefined) return Buffer.from(`${toKey}${key}${fromKey}\r\npayment-signature: ${payment}\r\n\r\n${body}`)
    unpaid.write(key, toKey.length, 'latin1')
    return unpaid
  }
}
