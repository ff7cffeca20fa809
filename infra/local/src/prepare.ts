// Fetches and builds what the parts of the stack are made of, once per machine, so that nothing that is timed waits for a compiler.
import { StackFailure } from './failure.ts'
import type { ToolDeps } from './process/run-tool.ts'
import { obtainChromium } from './software/chromium.ts'
import { obtainFfmpeg } from './software/ffmpeg.ts'
import { obtainKafka } from './software/kafka.ts'
import { obtainPromtool } from './software/promtool.ts'
import { obtainRedis } from './software/redis.ts'
import { obtainVersitygw } from './software/versitygw.ts'
import { terminalOn } from './supervisor/terminal.ts'

const terminal = terminalOn(process.stdout, process.env)
const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort())

const software: readonly (readonly [string, (deps: ToolDeps) => Promise<unknown>])[] = [
  ['redis', obtainRedis],
  ['kafka', obtainKafka],
  ['s3', obtainVersitygw],
  ['ffmpeg', obtainFfmpeg],
  ['chromium', obtainChromium],
  ['promtool', obtainPromtool],
]

try {
  // One after the other: two of them may need apt-get, and the S3 server's build takes every core.
  for (const [name, obtain] of software) {
    const startedMs = Date.now()
    await obtain({ say: (line) => terminal.progress(name, line), signal: stopping.signal })
    terminal.ready(name, 'its software is there', Date.now() - startedMs)
  }
} catch (error) {
  if (!(error instanceof StackFailure) && !stopping.signal.aborted) throw error
  process.stderr.write(`\n${error instanceof StackFailure ? error.message : 'Stopped.'}\n`)
  process.exit(1)
}
