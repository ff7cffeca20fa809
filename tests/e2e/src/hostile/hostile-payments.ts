import type { Payload } from '../authorizations.ts'
import type { Chance } from './chance.ts'
import { strangeHeader, strangeJson } from './hostile-values.ts'

const PLACES = [
  ['x402Version'],
  ['accepted'],
  ...['scheme', 'network', 'asset', 'amount', 'payTo', 'maxTimeoutSeconds'].map((field) => ['accepted', field]),
  ['payload'],
  ['payload', 'signature'],
  ['payload', 'authorization'],
  ...['from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'].map((field) => ['payload', 'authorization', field]),
] as const
const FORBIDDEN = ['__proto__', 'permit2Authorization', 'constructor', 'toString'] as const

/** A PAYMENT-SIGNATURE that must never be taken, made from one that would be. */
export function hostilePayment(chance: Chance, good: Payload): string {
  switch (chance.below(6)) {
    case 0:
      return strangeHeader(chance)
    case 1:
      return encoded(withMember(good, chance.pick(PLACES), strangeJson(chance)))
    case 2:
      return encoded(misSigned(chance, good))
    case 3:
      return encoded(withMember(good, ['payload', chance.pick(FORBIDDEN)], strangeJson(chance)))
    case 4:
      return brokenBase64(chance, encoded(JSON.stringify(good)))
    default:
      // Whatever it unpacks to, it is larger than a header may be, deeper than a payment, or not JSON.
      return encoded(
        chance.pick([
          JSON.stringify({ ...good, padding: 'A'.repeat(26_000) }).repeat(1),
          `${'['.repeat(12_000)}${']'.repeat(12_000)}`,
          JSON.stringify({ ...good, many: Array(5_000).fill(0) }),
          chance.bytes(64).toString('latin1'),
          '\ufeff{}',
          `${JSON.stringify(good)}${JSON.stringify(good)}`,
        ]),
      )
  }
}

/** Right in shape, wrong in substance: other terms under the old signature, or another signature under the same terms. */
function misSigned(chance: Chance, good: Payload): string {
  const copy = structuredClone(good)
  const { authorization } = copy.payload
  const hex = (bytes: number) => `0x${chance.bytes(bytes).toString('hex')}` as const
  const soon = String(Math.floor(Date.now() / 1000) + 900 + chance.below(600))
  const changes: (() => void)[] = [
    () => Object.assign(copy.payload, { signature: hex(65) }),
    () => Object.assign(copy.payload, { signature: `${hex(64)}1b` }),
    () => Object.assign(copy.payload, { signature: hex(1 + chance.below(400)) }),
    () => Object.assign(copy.payload, { signature: `0x${'00'.repeat(65)}` }),
    () => Object.assign(copy.payload, { signature: `0x${'ff'.repeat(65)}` }),
    () => Object.assign(copy.payload, { signature: `${hex(200)}${'6492'.repeat(16)}` }),
    () => Object.assign(authorization, { nonce: hex(32) }),
    () => Object.assign(authorization, { from: hex(20) }),
    () => Object.assign(authorization, { validBefore: soon }),
    () => Object.assign(authorization, { validAfter: '1' }),
    () => Object.assign(authorization, { value: String(chance.below(2_000)) }),
    () => Object.assign(authorization, { to: hex(20) }),
  ]
  chance.pick(changes)()
  return JSON.stringify(copy)
}

/** The payload with this JSON text in that place, even where no object could hold it. */
function withMember(good: Payload, place: readonly string[], json: string): string {
  const mark = '\u0001here\u0001'
  const write = (value: unknown, [field, ...rest]: readonly string[]): unknown => {
    if (field === undefined) return mark
    const record = value as Record<string, unknown>
    const members = Object.entries(record).filter(([name]) => name !== field)
    return Object.fromEntries([...members, [field, write(record[field], rest)]])
  }
  return JSON.stringify(write(good, place)).replace(JSON.stringify(mark), () => json)
}

function brokenBase64(chance: Chance, text: string): string {
  const at = chance.below(text.length - 1)
  return chance.pick([
    text.slice(0, at),
    `${text.slice(0, at)}-${text.slice(at + 1)}`,
    `${text.slice(0, at)} ${text.slice(at)}`,
    `${text}====`,
    `${text}, ${text}`,
    `=${text}`,
    Buffer.from(text).toString('base64'),
    `data:application/json;base64,${text}`,
  ])
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64')
}
