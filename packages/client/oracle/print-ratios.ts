// The accuracy of the estimate as a table: node infra/toolchain/run.mjs packages/client/oracle/print-ratios.ts
import { estimateTextTokens } from '../src/estimate-text-tokens.ts'
import { corpora } from './corpora.ts'
import { gemma3 } from './gemma3.ts'

const tokens = gemma3()
console.log('| corpus | bytes | gemma3 tokens | estimate | ratio | utf8_bytes/4 |\n|---|--:|--:|--:|--:|--:|')
for (const { name, text } of corpora()) {
  const bytes = Buffer.byteLength(text)
  const [truth, estimate] = [tokens(text), estimateTextTokens(text)]
  console.log(
    `| ${name} | ${bytes} | ${truth} | ${estimate} | ${(estimate / truth).toFixed(2)} | ${(bytes / 4 / truth).toFixed(2)} |`,
  )
}
