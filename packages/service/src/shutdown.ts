import type { Logger } from './logger.ts'

export type ShutdownStep = readonly [name: string, run: () => void | Promise<void>]

/**
 * On SIGTERM or SIGINT runs the steps in order and exits with 0; a step that fails is logged and the next one runs. Past `graceMs`,
 * or on a second signal, exits with 1: everything durable is safe by design, so a hard end loses nothing but time.
 */
export function shutDownOnSignal(options: { logger: Logger; graceMs: number; steps: readonly ShutdownStep[] }): void {
  const { logger, graceMs, steps } = options
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) process.exit(1)
    stopping = true
    logger.info({ signal }, 'shutting down')
    setTimeout(() => {
      logger.error({ graceMs }, 'shutdown took too long')
      process.exit(1)
    }, graceMs).unref()
    for (const [name, run] of steps) {
      try {
        await run()
      } catch (error) {
        logger.error({ error, step: name }, 'shutdown step failed')
      }
    }
    logger.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', () => void stop('SIGTERM'))
  process.on('SIGINT', () => void stop('SIGINT'))
}

/** Runs a service's main function; what it throws while it starts (its configuration, a dependency) ends the process with one message. */
export function runService(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.name === 'ConfigError' ? error.message : (error.stack ?? error.message)) : String(error)}\n`,
    )
    process.exit(1)
  })
}
