import { openChainRpc, readBlockNumber } from '@turnpike/payments'
import { createLogger, createMetrics, loadConfig, s3Wire, shutDownOnSignal, startInternalServer } from '@turnpike/service'
import { openObjectStore } from '@turnpike/storage'
import { audit } from './audit.ts'
import { blockRange } from './block-range.ts'
import { CONFIG, ledgerTokenOf } from './config.ts'
import { openGatewayClient } from './gateway-client.ts'
import { describeFault } from './http-json.ts'
import { openLedgerClient } from './ledger-client.ts'
import { type Options, parseOptions, USAGE } from './options.ts'
import { reportAsJson, reportAsText } from './report.ts'
import { auditOnSchedule } from './schedule.ts'

const GRACE_MS = 10_000
/** It could not be carried out, which says nothing about the books: neither 0 nor 1. */
const IMPOSSIBLE = 2

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2))
  if (options === undefined) return end(USAGE, process.stderr, IMPOSSIBLE)
  const config = loadConfig('auditor', CONFIG, process.env)
  const stopping = new AbortController()
  const rpc = openChainRpc({ url: config.chainRpcUrl, timeoutMs: config.chainTimeoutMs, logRangeBlocks: config.logRangeBlocks })
  const deps = {
    rpc,
    ledger: openLedgerClient({ urls: config.ledgerUrls, token: ledgerTokenOf(config), tlsCa: config.ledgerTlsCa }),
    gateway: openGatewayClient({ urls: config.gatewayUrls, receiptTokenKeys: config.receiptTokenKeys, now: Date.now }),
    store: openObjectStore(s3Wire(config)),
    contentKeys: config.contentKeys,
    payTo: config.payTo,
    confirmations: config.confirmations,
    ourSigners: new Set(config.facilitatorSigners.map((signer) => signer.toLowerCase())),
    undecidedWaitMs: config.undecidedWaitMs,
    now: () => Date.now(),
    signal: stopping.signal,
  }
  const chosen = { rpc, confirmations: config.confirmations, defaultBlocks: BigInt(config.auditBlocks) }
  const runAudit = async () => audit(deps, await blockRange(chosen, options))
  if (options.everyMs === undefined) return auditOnce(runAudit, options)

  const logger = createLogger({ service: 'auditor', format: config.logFormat, level: config.logLevel })
  const metrics = createMetrics('auditor')
  if (config.internalPort === undefined) return end('INTERNAL_PORT is needed with --every\n', process.stderr, IMPOSSIBLE)
  const server = await startInternalServer({
    host: config.host,
    port: config.internalPort,
    metrics,
    logger,
    checks: { chain: async () => (await readBlockNumber(rpc)) >= 0n },
  })
  const schedule = auditOnSchedule({ ...deps, runAudit, everyMs: options.everyMs, metrics, logger })
  shutDownOnSignal({
    logger,
    graceMs: GRACE_MS,
    steps: [
      ['audit', () => stopping.abort()],
      ['schedule', () => schedule],
      ['http', () => server.close()],
      ['store', () => deps.store.close()],
    ],
  })
}

async function auditOnce(runAudit: () => ReturnType<typeof audit>, { isJson }: Options): Promise<void> {
  const report = await runAudit()
  end(isJson ? reportAsJson(report) : reportAsText(report), process.stdout, report.differenceCount === 0 ? 0 : 1)
}

/** Exits when the text is out; open connections would keep the process otherwise. */
function end(text: string, stream: NodeJS.WriteStream, status: number): void {
  process.exitCode = status
  stream.write(text, () => process.exit(status))
}

main().catch((error: unknown) => {
  const isConfig = error instanceof Error && error.name === 'ConfigError'
  const sentence = isConfig ? error.message : `The audit could not be carried out: ${describeFault(error)}`
  end(`${sentence}\n`, process.stderr, IMPOSSIBLE)
})
