import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomOf } from './random.ts'

export type Corpus = { name: string; kind: 'prose' | 'code' | 'data' | 'hostile'; text: string; atMost?: number }

const root = join(import.meta.dirname, '../../..')
const SIZE = 6_000
const HEX = '0123456789abcdef'
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const CODE = ['go', 'rust', 'c', 'sql', 'html', 'markdown']
const LIMITS: Record<string, number> = { english: 1.35 }

/** What the estimate is measured on. Kept texts, sources of this repository, and generated data; the same on every machine. */
export function corpora(): Corpus[] {
  return [...kept(), ...sources(), ...generated(randomOf(7))]
}

function kept(): Corpus[] {
  const folder = join(import.meta.dirname, 'corpora')
  return readdirSync(folder).map((file) => {
    const name = file.replace('.txt', '')
    const limit = LIMITS[name]
    return {
      name,
      kind: CODE.includes(name) ? 'code' : 'prose',
      text: readFileSync(join(folder, file), 'utf8'),
      ...(limit === undefined ? {} : { atMost: limit }),
    }
  })
}

function sources(): Corpus[] {
  const read = (...paths: string[]) => paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
  const client = (name: string) => `packages/client/src/${name}`
  const typescript = read(
    client('estimate-text-tokens.ts'),
    client('run-queues.ts'),
    client('run-table.ts'),
    'packages/catalog/src/quote.ts',
    'packages/catalog/src/catalog.ts',
    'services/gateway/src/routes/free-routes.ts',
    'infra/local/src/process/find-program.ts',
  )
  const manifests = read('package.json', 'biome.json', 'turbo.json', 'packages/contracts/package.json')
  return [
    { name: 'typescript', kind: 'code', text: typescript, atMost: 1.35 },
    { name: 'python', kind: 'code', text: read('packages/client/python/turnpike_tokens.py') },
    { name: 'javascript', kind: 'code', text: read('infra/toolchain/run.mjs') },
    { name: 'readme', kind: 'prose', text: read('README.md'), atMost: 1.35 },
    { name: 'json indented', kind: 'data', text: manifests, atMost: 1.6 },
    { name: 'json records', kind: 'data', text: records(randomOf(3)), atMost: 1.6 },
  ]
}

function records(random: Random): string {
  const names = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Barbara Liskov']
  return JSON.stringify(
    Array.from({ length: 60 }, (_, index) => ({
      id: index + 1,
      name: random.pick(names),
      email: `user${index}@example.com`,
      active: random.below(2) === 1,
      balance: random.below(1_000_000) / 100,
      tags: ['new', 'priority', 'export'].slice(0, random.below(4)),
      address: { street: 'Main Street 5', city: 'Springfield', postalCode: String(10_000 + random.below(80_000)) },
      createdAt: `2026-0${1 + random.below(9)}-1${random.below(10)}T08:30:00.000Z`,
      parent: null,
    })),
  )
}

function generated(random: Random): Corpus[] {
  const lines = (count: number, line: () => string) => Array.from({ length: count }, line).join('\n')
  const uuid = () => [8, 4, 4, 4, 12].map((length) => random.text(length, HEX)).join('-')
  const points = (first: number, count: number) =>
    Array.from({ length: SIZE / 4 }, () => String.fromCodePoint(first + random.below(count))).join('')
  const data = (name: string, text: string): Corpus => ({ name, kind: 'data', text })
  return [
    data(
      'csv',
      lines(150, () => [uuid().slice(0, 8), random.below(9_999), `${random.below(99)}.${random.below(99)}`, 'Berlin'].join(',')),
    ),
    data(
      'csv decimals',
      lines(200, () => Array.from({ length: 6 }, () => (random.below(1e6) / 1e4).toFixed(4)).join(',')),
    ),
    data('hex', random.text(SIZE, HEX)),
    data('hex capitals', random.text(SIZE, HEX.toUpperCase())),
    data('base64', random.text(SIZE, BASE64)),
    data(
      'base64 lines',
      lines(80, () => random.text(76, BASE64)),
    ),
    data('uuids', lines(150, uuid)),
    data('digits', random.text(SIZE, '0123456789')),
    data('emoji', points(0x1f300, 0x2ff)),
    data(
      'emoji sequences',
      lines(100, () => random.pick(['👩‍🚀', '🏳️‍🌈', '👨‍👩‍👧‍👦', '🇩🇪🇯🇵', '👍🏽', '❤️', '1️⃣'])),
    ),
    data('rare han', points(0x20000, 0xa6df)),
    data('han', points(0x4e00, 0x5200)),
    data('hangul', points(0xac00, 11_172)),
    data(
      'whitespace',
      lines(300, () => random.text(random.below(90), ' \t ')),
    ),
    data('whitespace of all kinds', random.text(SIZE, ' \t\n\r\f\v\u00a0\u2003\u3000\u2028\u200b\ufeff')),
    data(
      'urls',
      lines(
        80,
        () =>
          `https://${random.text(9, 'abcdefghij')}.example.com/${random.text(12, BASE64)}?q=${random.below(1e6)}&utm_source=mail`,
      ),
    ),
    data('printable ascii', random.text(SIZE, Array.from({ length: 95 }, (_, code) => String.fromCharCode(32 + code)).join(''))),
    data(
      'mixed',
      lines(60, () => `${uuid()} Zürich 東京 "${random.text(8, 'aeioust ')}" → ${random.below(1e9)} 🚀 {"k":[1,2]}`),
    ),
  ]
}
