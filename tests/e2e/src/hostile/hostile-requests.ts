import { gzipSync } from 'node:zlib'
import type { Payload } from '../authorizations.ts'
import type { Chance } from './chance.ts'
import { hostilePayment } from './hostile-payments.ts'
import { mangled, mistyped, strangeHeader } from './hostile-values.ts'

/** `unreadable`: not HTTP at all, so a closed connection is an answer to it. */
export type HostileRequest = { kind: string; bytes: Buffer; unreadable?: true }
export type Good = { body: string; key: string; payload: Payload; text: string }

type Head = [string, string][]
const PATH = '/v1/chat/completions'
const BOMB = gzipSync(Buffer.alloc(4 * 1024 * 1024))
const MEBIBYTE = 1024 * 1024

/** The next request of an attacker. About one in eighty is large. */
export function hostileRequest(chance: Chance, good: Good): HostileRequest {
  const dice = chance.below(80)
  if (dice === 0) return large(chance, good)
  if (dice < 20) return { kind: 'mangled body', bytes: http(mangled(chance, good.body), head(freshKey(chance, good))) }
  if (dice < 38) return { kind: 'mistyped body', bytes: http(mistyped(chance, good.text), head(freshKey(chance, good))) }
  if (dice < 64) return hostilePaymentRequest(chance, good)
  if (dice < 72) return strangeHeaders(chance, good)
  return unreadable(chance, good)
}

function hostilePaymentRequest(chance: Chance, good: Good): HostileRequest {
  const payment = hostilePayment(chance, good.payload)
  // An empty header is no payment, and its challenge is right.
  return { kind: 'hostile payment', bytes: http(good.body, [...head(good.key), ['PAYMENT-SIGNATURE', payment]]) }
}

function strangeHeaders(chance: Chance, good: Good): HostileRequest {
  const text = strangeHeader(chance)
  const heads: Head[] = [
    [...head(freshKey(chance, good)), ['x-idempotency-key', text]],
    [
      ['content-type', 'application/json'],
      ['x-idempotency-key', text],
    ],
    [
      ['content-type', text],
      ['x-idempotency-key', good.key],
    ],
    [
      ['content-type', 'application/json; charset=utf-7'],
      ['x-idempotency-key', good.key],
    ],
    [
      ['content-type', 'application/json'],
      ['content-type', 'text/html'],
      ['x-idempotency-key', good.key],
    ],
    [...head(good.key), ['content-encoding', 'gzip']],
    [...head(freshKey(chance, good)), ['traceparent', text]],
    [...head(freshKey(chance, good)), ['x-forwarded-for', text]],
    [...head(freshKey(chance, good)), ['expect', '100-continue']],
    [...head(freshKey(chance, good)), ['expect', 'a miracle']],
    [...head(freshKey(chance, good)), ['upgrade', 'websocket'], ['connection', 'upgrade']],
    [...head(good.key), ['PAYMENT-SIGNATURE', 'e30='], ['PAYMENT-SIGNATURE', encodedOf(good)]],
    [...head(good.key), ['X-PAYMENT', encodedOf(good)]],
    [
      ...head(freshKey(chance, good)),
      ...Array.from({ length: 900 }, (_, index): [string, string] => [`x-${index}`, text.slice(0, 20)]),
    ],
  ]
  return { kind: 'strange headers', bytes: http(good.body, chance.pick(heads)) }
}

function large(chance: Chance, good: Good): HostileRequest {
  const requests: HostileRequest[] = [
    {
      kind: 'one MiB of header',
      bytes: http(good.body, [...head(good.key), ['PAYMENT-SIGNATURE', 'A'.repeat(MEBIBYTE)]]),
      unreadable: true,
    },
    {
      kind: 'unknown header of one MiB',
      bytes: http(good.body, [...head(good.key), ['x-noise', 'A'.repeat(MEBIBYTE)]]),
      unreadable: true,
    },
    { kind: 'gzip bomb', bytes: http(BOMB, [...head(good.key), ['content-encoding', 'gzip']]) },
    { kind: 'brackets', bytes: http('['.repeat(2 * MEBIBYTE), head(freshKey(chance, good))) },
    { kind: 'values', bytes: http(`[${'0,'.repeat(MEBIBYTE)}0]`, head(freshKey(chance, good))) },
    { kind: 'one long string', bytes: http(`{"model":"${'A'.repeat(2 * MEBIBYTE)}`, head(freshKey(chance, good))) },
  ]
  return chance.pick(requests)
}

function unreadable(chance: Chance, good: Good): HostileRequest {
  const start = `POST ${PATH} HTTP/1.1\r\nhost: x\r\n`
  const rest = `content-type: application/json\r\nx-idempotency-key: ${good.key}\r\nPAYMENT-SIGNATURE: ${encodedOf(good)}\r\n`
  const texts = [
    `${start}${rest}content-length: -1\r\n\r\n${good.body}`,
    `${start}${rest}content-length: 5\r\ncontent-length: ${good.body.length}\r\n\r\n${good.body}`,
    `${start}${rest}content-length: ${good.body.length}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${start}${rest}content-length: ${good.body.length + 1000}\r\n\r\n${good.body}`,
    `${start}${rest}transfer-encoding: chunked\r\n\r\nZZ\r\n${good.body}`,
    `${start}${rest}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n${good.body}`,
    `${start}${rest}no colon here\r\n\r\n`,
    `${start}x-folded: a\r\n b\r\n${rest}content-length: 0\r\n\r\n`,
    `${start}${rest}x-nul: a\0b\r\ncontent-length: ${good.body.length}\r\n\r\n${good.body}`,
    `${start}x-idempotency-key\u00e4: 1\r\n${rest}content-length: 0\r\n\r\n`,
    `POST ${PATH} HTTP/9.9\r\n${rest}\r\n${good.body}`,
    `POST ${PATH}\r\n`,
    `BREW ${PATH} HTTP/1.1\r\nhost: x\r\n\r\n`,
    `CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `POST ${PATH}/%ff%fe/../../x HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
    `GET /v1/receipts/%c0%ae%00 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \u00e4\r\n\r\n`,
    `\u0016\u0003\u0001\u0002${chance.bytes(200).toString('latin1')}`,
    chance.bytes(1 + chance.below(400)).toString('latin1'),
  ]
  return { kind: 'unreadable', bytes: Buffer.from(chance.pick(texts), 'latin1'), unreadable: true }
}

function head(key: string): Head {
  return [
    ['content-type', 'application/json'],
    ['x-idempotency-key', key],
  ]
}

function http(body: string | Buffer, headers: Head): Buffer {
  const bytes = Buffer.from(body)
  const lines = [...headers, ['content-length', String(bytes.length)]].map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from(`POST ${PATH} HTTP/1.1\r\nhost: x\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes])
}

function freshKey(chance: Chance, good: Good): string {
  return `${good.key}-${chance.bytes(12).toString('hex')}`
}

function encodedOf({ payload }: Good): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}
