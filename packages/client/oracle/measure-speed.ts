// Speed of the estimate on one core: node infra/toolchain/run.mjs packages/client/oracle/measure-speed.ts
import { estimateTextTokens } from '../src/estimate-text-tokens.ts'
import { corpora } from './corpora.ts'

const ROUNDS = 15
/** Not measured: a process compiles its code once, beside its first texts, and later again for what it learned of them. */
const ROUNDS_BEFORE = 15
const MIXED_REPEATS = 20
const BYTES_PER_CORPUS = 1e6

/** By CPU time, over several rounds. Both matter: a neighbour that takes the caches away halves the speed for seconds or for a whole run. */
function megabytesPerSecond(text: string): string {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    estimateTextTokens(text)
    const { user, system } = process.cpuUsage(before)
    return Buffer.byteLength(text) / (user + system)
  }).sort((a, b) => a - b)
  const [median, best] = [rounds[ROUNDS >> 1] ?? 0, rounds.at(-1) ?? 0]
  return `median ${median.toFixed(0).padStart(4)} MB/s, best ${best.toFixed(0).padStart(4)} MB/s`
}

const all = corpora()
const mixed = all
  .map(({ text }) => text)
  .join('\n')
  .repeat(MIXED_REPEATS)
for (let round = 0; round < ROUNDS_BEFORE; round++) estimateTextTokens(mixed)
console.log(`${'all of them'.padEnd(24)} ${megabytesPerSecond(mixed)}`)
for (const { name, text } of all) {
  console.log(`${name.padEnd(24)} ${megabytesPerSecond(text.repeat(Math.ceil(BYTES_PER_CORPUS / text.length)))}`)
}
