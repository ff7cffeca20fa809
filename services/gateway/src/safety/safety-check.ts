import { type Dispatcher, request } from 'undici'

export type Subject = { payer: string; endpoint: string; model: string; canonicalBody: string }
export type Verdict = 'allowed' | 'refused' | 'unavailable'

/** Looks at a paid request after its payer proved itself and before anything executes. Never throws. */
export type SafetyCheck = (subject: Subject) => Promise<Verdict>

/** The first check that does not allow decides. */
export async function passAll(checks: readonly SafetyCheck[], subject: Subject): Promise<Verdict> {
  for (const check of checks) {
    const verdict = await check(subject)
    if (verdict !== 'allowed') return verdict
  }
  return 'allowed'
}

/**
 * Asks an HTTP service of the operator: POST of what `question` makes of the subject, answered by 200 `{"allowed": true | false}`.
 * Anything else, a time-out included, is `unavailable`: the check fails closed.
 */
export function httpSafetyCheck(options: {
  url: string
  timeoutMs: number
  question: (subject: Subject) => object
  dispatcher?: Dispatcher
}): SafetyCheck {
  return async (subject) => {
    try {
      const response = await request(options.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(options.question(subject)),
        signal: AbortSignal.timeout(options.timeoutMs),
        ...(options.dispatcher === undefined ? {} : { dispatcher: options.dispatcher }),
      })
      const answer = (await response.body.json()) as { allowed?: unknown } | null
      if (response.statusCode !== 200) return 'unavailable'
      return answer?.allowed === true ? 'allowed' : answer?.allowed === false ? 'refused' : 'unavailable'
    } catch {
      return 'unavailable'
    }
  }
}
