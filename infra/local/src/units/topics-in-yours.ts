import { join } from 'node:path'
import { checkoutRoot, type Home } from '../home.ts'
import { runTool } from '../process/run-tool.ts'

/** By the program that operators use: it reads the variables that the services read (TLS, SASL), so it gets in wherever they do. */
export async function makeTopicsInYours(brokers: readonly string[], home: Home, say: (line: string) => void): Promise<void> {
  await runTool(
    { say, signal: new AbortController().signal },
    {
      doing: 'making the topics',
      program: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', join(checkoutRoot, 'services/ledger/src/ensure-topics.ts')],
      logFile: home.logOf('kafka', 0),
      env: { KAFKA_BROKERS: brokers.join(',') },
    },
  )
}
