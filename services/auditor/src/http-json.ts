import { setTimeout as pause } from 'node:timers/promises'
import { type Dispatcher, fetch } from 'undici'

/** The audit cannot be carried out: something that it has to ask does not answer, or not as agreed. Says nothing about the books. */
export class AuditImpossible extends Error {
  override name = 'AuditImpossible'
}

export type JsonCall = {
  method?: 'GET' | 'POST'
  path: string
  token?: string
  body?: unknown
  dispatcher?: Dispatcher | undefined
}

const TIMEOUT_MS = 20_000
const TRIES = 6
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 5_000

/**
 * Asks one of several replicas; the next one, or the same again after a pause, when one is away, overloaded or limits us.
 * Every call of the audit only reads, so repeating it is safe. Throws AuditImpossible.
 */
export async function callJson(
  bases: readonly string[],
  { method = 'GET', path, token, body, dispatcher }: JsonCall,
): Promise<{ status: number; json: unknown }> {
  let why = 'no address'
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt))
    try {
      const response = await fetch(`${bases[attempt % bases.length]}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(dispatcher === undefined ? {} : { dispatcher }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      if (response.status < 500 && response.status !== 429) return { status: response.status, json: JSON.parse(text) }
      why = `it answered ${response.status}`
    } catch (error) {
      why = error instanceof Error ? error.name : 'no answer'
    }
  }
  throw new AuditImpossible(`${routeOf(path)} cannot be asked: ${why}`)
}

/** A path without its ids, for messages. */
export function routeOf(path: string): string {
  return (path.split('?', 1)[0] ?? '').replace(/\/[0-9a-f-]{32,}$/, '/{id}')
}

/** One line. Errors of the chain's client carry whole requests in their messages, so of those only the short form is told. */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown fault'
  if (error instanceof AuditImpossible) return error.message
  const isOfChain = 'shortMessage' in error && typeof error.shortMessage === 'string'
  return isOfChain ? `the chain cannot be asked: ${error.shortMessage}` : error.name
}
