// Speed of the estimate on one core: node infra/toolchain/run.mjs packages/client/oracle/measure-speed.ts
import { estimateTextTokens } from '../src/estimate-text-tokens.ts'
import { corpora } from './corpora.ts'

const ROUNDS = 15

/** The best of several rounds by CPU time: what else runs on the machine only slows it down. */
function megabytesPerSecond(text: string): number {
  let best = 0
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    estimateTextTokens(text)
    const { user, system } = process.cpuUsage(before)
    best = Math.max(best, Buffer.byteLength(text) / (user + system))
  }
  return best
}

const all = corpora()
const mixed = all.map(({ text }) => text).join('\n')
console.log(`mixed text        ${megabytesPerSecond(mixed.repeat(20)).toFixed(0)} MB/s`)
for (const { name, text } of all)
  console.log(`${name.padEnd(17)} ${megabytesPerSecond(text.repeat(Math.ceil(2e6 / text.length))).toFixed(0)} MB/s`)
