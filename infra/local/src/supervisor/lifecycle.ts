import type { UnitKind } from '../units/unit.ts'

// What the supervisor decides, without doing it.

/** A process is `starting` until it answered for the first time. */
export type Phase = 'down' | 'starting' | 'up' | 'stopping' | 'waiting'

export type AfterExit = 'start again' | 'say so' | 'nothing'

/** A service comes back by itself, as under an orchestrator; infrastructure that died is for somebody to look at. */
export function afterExit(kind: UnitKind, phase: Phase): AfterExit {
  if (phase !== 'up') return 'nothing'
  switch (kind) {
    case 'service':
    case 'managed':
      return 'start again'
    case 'infrastructure':
      return 'say so'
    case 'task':
    case 'yours':
      return 'nothing'
  }
}

export const partActions = ['start', 'stop', 'kill'] as const
export type PartAction = (typeof partActions)[number]

export type PartDecision = { readonly do: PartAction } | { readonly nothing: string } | { readonly refuse: string }

export function decidePart(
  action: PartAction,
  name: string,
  found: { kind: UnitKind; phase: Phase } | undefined,
  known: readonly string[],
): PartDecision {
  if (found === undefined) return { refuse: `There is no part "${name}" in this stack; its parts are ${known.join(', ')}.` }
  const { kind, phase } = found
  if (kind === 'service' || kind === 'task')
    return { refuse: `${name} is a service: end it by its pid in stack.json, and it starts again by itself.` }
  if (kind === 'yours') return { refuse: `${name} is one of your own: this stack did not start it.` }
  if (kind === 'managed' && action === 'start' && phase !== 'down')
    return { nothing: `${name} runs already, or starts again by itself.` }
  if (kind === 'managed' && action !== 'start' && phase === 'waiting') return { do: 'stop' }
  if (action === 'start' && phase !== 'down') return { refuse: `${name} runs already.` }
  if (action !== 'start' && phase !== 'up') return { refuse: `${name} does not run.` }
  return { do: action }
}

export function isPartAction(text: unknown): text is PartAction {
  return partActions.some((action) => action === text)
}
