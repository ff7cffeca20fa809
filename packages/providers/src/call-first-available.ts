import { callTargets, type TargetDeps } from './call-targets.ts'
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

/** One text job over the targets of its public model. */
export function callFirstAvailable(
  deps: TargetDeps,
  { model, route }: { model: string; route: TextRoute },
  request: TextRequest,
  limits: CallLimits,
): Promise<ProviderOutcome<TextCompletion>> {
  const calls = route.map(
    ({ upstream, target }) =>
      (own: CallLimits) =>
        upstream.complete(target, request, own),
  )
  return callTargets(deps, model, calls, limits)
}
