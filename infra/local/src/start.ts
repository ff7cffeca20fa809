import { demoModel, demoPrompt, payOnce } from './demo.ts'
import { StackFailure, sentenceOf } from './failure.ts'
import { checkoutRoot } from './home.ts'
import { readSettings, type Settings } from './settings.ts'
import { type RunningStack, runStack } from './supervisor/run-stack.ts'
import { type Terminal, terminalOn } from './supervisor/terminal.ts'

const startedMs = Date.now()

// Whoever reads our output may leave before we do.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

await main().catch((error: unknown) => {
  const text =
    error instanceof StackFailure ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`\n${text}\n`)
  process.exit(1)
})

async function main(): Promise<void> {
  const terminal = terminalOn(process.stdout, process.env)
  const stopping = new AbortController()
  const stopRequested = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  let running: RunningStack | undefined
  let firstSignalMs = 0
  const onSignal = (name: NodeJS.Signals) => {
    // The terminal and a parent that hands signals on may both tell us of one Ctrl-C.
    if (firstSignalMs !== 0 && Date.now() - firstSignalMs > 1_000 && name === 'SIGINT') void running?.killAll()
    firstSignalMs ||= Date.now()
    stopping.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal)

  const settings = readSettings(process.env)
  terminal.title(`the local stack, in ${settings.home}`)
  try {
    running = await runStack(settings, terminal, stopping.signal)
  } catch (error) {
    if (!(stopping.signal.aborted && error instanceof Error && error.name === 'AbortError')) throw error
    terminal.heading('Stopped')
    process.exit(130)
  }
  if (settings.demo) await Promise.race([demonstrate(running, terminal), stopRequested])
  if (!stopping.signal.aborted) tellWhereThingsAre(running, settings, terminal)
  // The children alone do not keep us here.
  const foreground = setInterval(() => {}, 60_000)
  await stopRequested
  clearInterval(foreground)
  await stop(running, terminal)
}

async function demonstrate({ stack }: RunningStack, terminal: Terminal): Promise<void> {
  try {
    const { priceUsdc, answer, receiptId, transaction, tookMs } = await payOnce(stack)
    terminal.heading('One paid request')
    terminal.fact('asked', `${demoModel}: ${demoPrompt}`)
    terminal.fact('price', `${priceUsdc} USDC`)
    terminal.fact('answer', answer)
    terminal.fact('receipt', receiptId)
    terminal.fact('transaction', transaction)
    terminal.fact('took', `${tookMs} ms`)
  } catch (error) {
    terminal.blank()
    terminal.problem('demo', sentenceOf(error))
  }
}

function tellWhereThingsAre({ stack, home }: RunningStack, settings: Settings, terminal: Terminal): void {
  terminal.heading(`Ready at ${stack.baseUrl}`, Date.now() - startedMs)
  if (stack.gateways.length > 1) terminal.fact('gateways', stack.gateways.join('  '))
  terminal.fact('try', `curl ${stack.baseUrl}/v1/models`)
  const elsewhere = settings.home === homeOfDefault() ? '' : `TURNPIKE_HOME=${settings.home} `
  terminal.fact('', `${elsewhere}npm run wallet -- new --usdc 25`)
  terminal.fact('', `${elsewhere}npm run part -- stop kafka`)
  terminal.fact('read', `${stack.baseUrl}/docs`)
  terminal.fact('stack file', home.stackFile)
  terminal.fact('logs', `${home.folder}/logs`)
  terminal.fact('stop', `Ctrl-C (or kill ${process.pid}); what it holds stays until npm run reset`)
  terminal.blank()
}

function homeOfDefault(): string {
  return `${checkoutRoot}/.local`
}

async function stop(running: RunningStack, terminal: Terminal): Promise<void> {
  const stopStartedMs = Date.now()
  terminal.heading('Stopping')
  await running.stop()
  terminal.ready('stopped', 'everything that was started', Date.now() - stopStartedMs)
  process.exit(0)
}
