// Many large unpaid uploads at once, against a gateway that runs: when each has its 402, and what the gateway's event loop and memory
// do meanwhile.
//   node tests/bench/src/uploads/measure-uploads.ts --url http://127.0.0.1:8402 --metrics http://127.0.0.1:<internal port>/metrics
//     [--kind json|multipart|chat] [--uploads 50] [--megabytes 30] [--within 120]
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type UploadKind, uploadBody } from './upload-bodies.ts'
import { uploadUntilAnswered } from './upload-until-answered.ts'
import { watchGateway } from './watch-gateway.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8402' },
    metrics: { type: 'string' },
    kind: { type: 'string', default: 'json' },
    uploads: { type: 'string', default: '50' },
    megabytes: { type: 'string', default: '30' },
    within: { type: 'string', default: '120' },
  },
})
if (values.metrics === undefined) throw new Error('--metrics takes the address of the metrics of the gateway')

const target = new URL(values.url)
const withinMs = Number(values.within) * 1_000
const body = uploadBody(values.kind as UploadKind, Number(values.megabytes) * 1e6)
const watch = watchGateway(new URL(values.metrics))
const startedAt = performance.now()
const uploads = Array.from({ length: Number(values.uploads) }, () => uploadUntilAnswered(target, body, randomUUID(), withinMs))
const ends = await Promise.all(uploads)
const seconds = (performance.now() - startedAt) / 1_000
const { eventLoopP99Ms, eventLoopMaxMs, memoryBytes, largeBodyBytes } = await watch.stop()

const tally = (items: number[]) =>
  Object.entries(Object.groupBy(items, String))
    .map(([item, all]) => `${item} × ${all?.length}`)
    .join(', ')
const mib = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`
const times = ends.map((end) => end.ms).sort((a, b) => a - b)
console.log(`${ends.length} uploads (${values.kind}) of ${(body.bytes.length / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s`)
console.log(
  `answers: ${tally(ends.map((end) => end.status))}; refused on the way: ${tally(ends.flatMap((end) => end.refusals)) || 'none'}`,
)
console.log(
  `time to the answer: median ${(times[times.length >> 1] ?? 0).toFixed(0)} ms, last ${(times.at(-1) ?? 0).toFixed(0)} ms`,
)
console.log(
  `event-loop delay, p99 of each second: largest ${Math.max(...eventLoopP99Ms).toFixed(1)} ms; longest of all ${eventLoopMaxMs.toFixed(1)} ms`,
)
console.log(
  `memory: ${mib(memoryBytes[0] ?? 0)} before, ${mib(Math.max(...memoryBytes))} at most; room held at most ${mib(largeBodyBytes)}`,
)
process.exitCode = ends.every((end) => end.status === 402) ? 0 : 1
