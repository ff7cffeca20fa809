import { traceFields } from '@turnpike/telemetry/tracing'
import { type Logger, type LoggerOptions, pino, stdTimeFunctions } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }
export type LogFormat = 'json' | 'pretty'
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * JSON in production, readable in development. Callers log ids (requestId, jobId), codes, counts and durations. What must never be
 * in a log (I9) has no business in a call to it; the redaction below is the second line, for whole objects logged by accident.
 */
export function createLogger(options: { service: string; format: LogFormat; level: LogLevel }): Logger {
  const settings: LoggerOptions = {
    level: options.level,
    base: { service: options.service },
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: '[redacted]' },
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: describeError, err: describeError },
    mixin: traceFields,
  }
  return options.format === 'json'
    ? pino(settings)
    : pino(
        settings,
        pretty({
          colorize: process.stdout.isTTY === true,
          ignore: 'service,hostname',
          translateTime: 'SYS:HH:MM:ss.l',
          sync: true,
        }),
      )
}

const SECRET_FIELDS = [
  'authorization',
  'signature',
  'payment',
  'paymentPayload',
  'idempotencyKey',
  'token',
  'receiptToken',
  'prompt',
  'messages',
  'body',
  'headers',
  'url',
  'content',
  'text',
]
const REDACTED = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`])

/**
 * Name, code and message of an error and of its causes. Library errors carry requests, headers and bodies on themselves and in long
 * messages: only the first line is kept, without URLs (an RPC's holds its API key) and without long hex or Base64.
 */
export function describeError(error: unknown): { name: string; message: string; code?: string; cause?: unknown; stack?: string } {
  if (!(error instanceof Error)) return { name: 'NonError', message: typeof error }
  const { code, shortMessage } = error as { code?: unknown; shortMessage?: unknown }
  const message = typeof shortMessage === 'string' ? shortMessage : error.message
  const frames = (error.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line))
  return {
    name: error.name,
    message: withoutSecrets(message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
    ...(frames.length === 0 ? {} : { stack: frames.slice(0, 5).join('\n') }),
  }
}

function withoutSecrets(message: string): string {
  return (message.split('\n', 1)[0] ?? '')
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[url]')
    .replace(/\b(?:0x)?[0-9a-f]{40,}\b/gi, '[hex]')
    .replace(/[A-Za-z0-9+/_=-]{60,}/g, '[data]')
    .slice(0, 300)
}
