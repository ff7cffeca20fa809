// The long search for texts that are estimated too low: node infra/toolchain/run.mjs packages/client/oracle/search.ts [minutes] [seed]
import { estimateTextTokens } from '../src/estimate-text-tokens.ts'
import { gemma3 } from './gemma3.ts'
import { randomOf } from './random.ts'
import { searches, searchUnderestimate } from './search-underestimates.ts'

const minutes = Number(process.argv[2] ?? 5)
const firstSeed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const tokens = gemma3()
const until = Date.now() + minutes * 60_000
let worst = Number.POSITIVE_INFINITY
let tried = 0
for (let seed = firstSeed; Date.now() < until; seed++) {
  for (const { name, kinds } of searches()) {
    const random = randomOf(seed)
    const pieces = 2 + random.below(12)
    const found = searchUnderestimate(
      { estimate: estimateTextTokens, tokens, random, seen: () => tried++ },
      { kinds, pieces, steps: 200 },
    )
    if (found.ratio >= worst) continue
    worst = found.ratio
    console.log(`${worst.toFixed(4)}  seed ${seed}, ${name}: ${JSON.stringify(found.text)}`)
    if (Date.now() > until) break
  }
}
console.log(`${tried} texts from seed ${firstSeed} on, the lowest ratio ${worst.toFixed(4)}`)
process.exitCode = worst < 0.95 ? 1 : 0
