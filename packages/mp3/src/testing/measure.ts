// How fast the walk is, on clean files and on the slowest inputs that a hunt finds, and what it makes of the traps.
//   pnpm --filter @turnpike/mp3 bench
import { walkMp3 } from '../walk-mp3.ts'
import { clip, MP3_CLIPS } from './clips.ts'
import { decodedMs } from './ffmpeg.ts'
import { randomMixture, slowInputs } from './slow-inputs.ts'
import { traps } from './traps.ts'

const BYTES = 24 * 1_024 * 1_024
const ROUNDS = 5
const MIXTURES = 200

/** The best of a few rounds, in MB/s of the whole input, also where the walk ends early. */
function speedOf(bytes: Buffer, rounds = ROUNDS): number {
  let bestMs = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now()
    walkMp3(bytes)
    bestMs = Math.min(bestMs, performance.now() - startedAt)
  }
  return bytes.length / 1e6 / (bestMs / 1_000)
}

const slowest = (rows: [string, number][], count: number) => rows.sort((a, b) => a[1] - b[1]).slice(0, count)
const print = (rows: [string, number][]) => {
  for (const [name, speed] of rows) console.log(`  ${speed.toFixed(0).padStart(8)} MB/s  ${name}`)
}

console.log('clean files, repeated to 24 MiB')
for (const name of MP3_CLIPS) {
  const bytes = await clip(name)
  print([[name, speedOf(Buffer.concat(Array<Buffer>(Math.ceil(BYTES / bytes.length)).fill(bytes)))]])
}

console.log('the slowest inputs of 24 MiB')
print(
  slowest(
    slowInputs(BYTES).map(([name, input]) => [name, speedOf(input, 2)]),
    8,
  ),
)

console.log(`the slowest of ${MIXTURES} random mixtures of 1 MiB`)
const mixtures = Array.from({ length: MIXTURES }, (_, seed): [string, number] => [
  `mixture ${seed + 1}`,
  speedOf(randomMixture(1_024 * 1_024, seed + 1), 2),
])
print(slowest(mixtures, 3))

console.log('traps: encoded, decoded, measured')
for (const { name, bytes, trueMs } of await traps()) {
  const walk = walkMp3(bytes)
  const decoded = await decodedMs(bytes)
  const columns = [trueMs, decoded ?? Number.NaN, walk.ok ? walk.durationMs : Number.NaN].map((ms) => ms.toFixed(0).padStart(8))
  console.log(`${columns.join('')}  ${name}${walk.ok ? '' : ` (${walk.why})`}`)
}
