import type { CallLimits, ProviderOutcome } from './provider-outcome.ts'
import type { TextCompletion } from './text/text-completion.ts'
import type { TextRequest } from './text/text-request.ts'

export type TextUpstream = {
  /** One job at one target (the upstream's own model name). Never throws for what a provider or a network can do. */
  complete(target: string, request: TextRequest, limits: CallLimits): Promise<ProviderOutcome<TextCompletion>>
  close(): Promise<void>
}
export type TextTarget = { upstream: TextUpstream; target: string }
/** In order of preference. */
export type TextRoute = readonly TextTarget[]

/**
 * Asks the targets of a route in order, the next one only after a definite failure that executed nothing. A refusal is about the
 * request and an ambiguous outcome may have been executed: both end the search.
 */
export async function callFirstAvailable(
  route: TextRoute,
  request: TextRequest,
  limits: CallLimits,
): Promise<ProviderOutcome<TextCompletion>> {
  let outcome: ProviderOutcome<TextCompletion> = {
    kind: 'failed',
    code: 'provider_unavailable',
    reason: 'not_sent_in_time',
    transient: false,
    executed: false,
  }
  for (const { upstream, target } of route) {
    if (limits.signal.aborted) return outcome
    outcome = await upstream.complete(target, request, limits)
    if (outcome.kind !== 'failed' || outcome.executed) return outcome
  }
  return outcome
}
