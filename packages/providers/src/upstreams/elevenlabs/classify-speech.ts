import type { ProviderOutcome } from '../../provider-outcome.ts'
import type { SynthesizedSpeech } from '../../speech/speech-request.ts'
import type { Exchange } from '../exchange.ts'
import { ambiguous, cutShort, unanswered, unusable } from '../exchange-outcome.ts'
import { classifyElevenLabsError } from './classify-error.ts'

/** What an exchange came to, and so whether it may be repeated and what the client may be told. */
export function classifySpeech(exchange: Exchange, now: number): ProviderOutcome<SynthesizedSpeech> {
  if (exchange.kind !== 'response') return unanswered(exchange)
  if (exchange.status !== 200) return classifyElevenLabsError(exchange, now)
  if (exchange.end !== 'whole') return cutShort(exchange.end)
  const { headers, body } = exchange
  // Not this API's answer: a proxy's page, or an error in a 200.
  if (!/^audio\//i.test(headers['content-type'] ?? '')) return ambiguous('invalid_body')
  if (body.length === 0) return unusable('no_content')
  const cost = headers['character-cost']
  const characterCost = typeof cost === 'string' && /^\d{1,9}$/.test(cost) ? Number(cost) : undefined
  return { kind: 'succeeded', value: { mp3: body, ...(characterCost === undefined ? {} : { characterCost }) } }
}
