import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Stack } from '@turnpike/local'
import { openKeyring } from '@turnpike/sealing'
import { hostMedia, openObjectStore } from '@turnpike/storage'
import { measureDownloads } from './measure-downloads.ts'

// node tests/bench/src/downloads/main.ts --home <home of a running stack> [--downloads 100] [--bytes 5000000] [--rounds 5]
// Hosts files in the stack's store and downloads them from its first gateway: time to the first byte, and the gateway's memory meanwhile.

const FILES = 10
const DAY_MS = 24 * 3_600_000
const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    downloads: { type: 'string', default: '100' },
    bytes: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '5' },
  },
})
if (values.home === undefined) throw new Error('--home names the home of a running stack')
const [downloads, bytes, rounds] = [Number(values.downloads), Number(values.bytes), Number(values.rounds)]

const read = <T>(file: string): T => JSON.parse(readFileSync(join(values.home ?? '', file), 'utf8')) as T
const stack = read<Stack>('stack.json')
const identity = read<{ contentKeys: string; mediaCapabilityKeys: string }>('identity.json')
const gateway = stack.processes.find(({ name }) => name === 'gateway')
if (gateway === undefined) throw new Error('there is no gateway')

const store = openObjectStore({ ...stack.s3, forcePathStyle: true })
const urls: string[] = []
for (let file = 0; file < FILES; file++) {
  const { capability } = await hostMedia(
    {
      store,
      contentKeys: openKeyring(identity.contentKeys),
      capabilityKeys: openKeyring(identity.mediaCapabilityKeys),
      atRest: 'sealed',
      now: Date.now,
    },
    { kind: 'image', bytes: randomBytes(bytes), contentType: 'image/png', retentionMs: DAY_MS },
  )
  urls.push(`${stack.baseUrl}/v1/media/${capability}`)
}
store.close()

const someOf = (count: number) => Array.from({ length: count }, (_, index) => urls[index % FILES] ?? '')
const idle: number[] = []
for (const url of someOf(50)) idle.push(...(await measureDownloads([url], bytes)).firstByteMs)
console.log(`one at a time: first byte ${spread(idle)}`)

console.log(`memory of the gateway before: ${mebibytes(residentBytes(gateway.pid))}`)
for (let round = 1; round <= rounds; round++) {
  const memory: number[] = []
  const watch = setInterval(() => memory.push(residentBytes(gateway.pid)), 20)
  const startedAt = performance.now()
  const times = await measureDownloads(someOf(downloads), bytes)
  const seconds = (performance.now() - startedAt) / 1_000
  clearInterval(watch)
  const rate = `${(times.bytes / 1e6 / seconds).toFixed(0)} MB/s`
  console.log(
    `round ${round}: ${downloads} at once, ${rate}: first byte ${spread(times.firstByteMs)}, whole ${spread(times.wholeMs)}, ` +
      `asked again after a 503 ${times.refused}, memory at most ${mebibytes(Math.max(...memory))}`,
  )
}
console.log(`memory of the gateway after: ${mebibytes(residentBytes(gateway.pid))}`)

function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1_024
}

function mebibytes(count: number): string {
  return `${(count / 1_048_576).toFixed(0)} MiB`
}

function spread(milliseconds: number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b)
  const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms`
}
