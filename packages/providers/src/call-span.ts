import { isTranscriptionModel, SPEECH_MODELS, TEXT_MODELS } from '@turnpike/contracts'
import { inSpan, type SpanAttributes } from '@turnpike/telemetry/tracing'
import type { TargetName } from './circuit-breaker.ts'
import type { ProviderOutcome } from './provider-outcome.ts'

/**
 * One job at one target as a span, by the conventions for generative AI as far as they hold no content: the public model and counts of
 * tokens. Which upstream and which of its models it is stays the operator's own, so only the target's place is named.
 */
export function inCallSpan<T>(target: TargetName, call: () => Promise<ProviderOutcome<T>>): Promise<ProviderOutcome<T>> {
  const { model, index } = target
  const operation = operationOf(model)
  const attributes = { 'gen_ai.operation.name': operation, 'gen_ai.request.model': model, 'turnpike.target': index }
  return inSpan(`${operation} ${model}`, { kind: 'client', attributes }, async (span) => {
    const outcome = await call()
    span.set({ 'turnpike.outcome': outcome.kind })
    if (outcome.kind === 'succeeded') span.set(usageOf(outcome.value))
    else span.fail(outcome.reason)
    return outcome
  })
}

function operationOf(model: string): string {
  if ((TEXT_MODELS as readonly string[]).includes(model)) return 'chat'
  if ((SPEECH_MODELS as readonly string[]).includes(model)) return 'text_to_speech'
  return isTranscriptionModel(model) ? 'speech_to_text' : 'generate_content'
}

function usageOf(value: unknown): SpanAttributes {
  const { usage } = (typeof value === 'object' && value !== null ? value : {}) as { usage?: Record<string, unknown> }
  const { inputTokens, outputTokens } = usage ?? {}
  return {
    ...(typeof inputTokens === 'number' ? { 'gen_ai.usage.input_tokens': inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { 'gen_ai.usage.output_tokens': outputTokens } : {}),
  }
}
