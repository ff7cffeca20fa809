import { quoteTranscription } from '@turnpike/catalog'
import { invalid, isTranscriptionModel, MAX_AUDIO_MS, MIN_AUDIO_MS, parseTranscriptionJson } from '@turnpike/contracts'
import { TRANSCRIPTION_DEADLINE_MS } from '../endpoints/provider-deadlines.ts'
import type { EffectiveBody } from '../paid/effective-body.ts'

const FIELD = 'audio_duration_ms'
// Stands where the audio would, so that the one reader of options reads these too. Nobody looks at what it holds.
const NO_AUDIO = 'AAAA'

/** A transcription whose duration is given in place of its audio; undefined for every other request. Pure. */
export function transcriptionByDuration(path: string, request: unknown): EffectiveBody | undefined {
  if (path !== '/v1/audio/transcriptions' || request === null || typeof request !== 'object' || !(FIELD in request))
    return undefined
  const { [FIELD]: durationMs, ...options } = request as Record<string, unknown>
  if ('audio_base64' in options) {
    return refused(invalid(FIELD, `${FIELD} stands in place of audio_base64: give one of them.`))
  }
  const parsed = parseTranscriptionJson({ ...options, audio_base64: NO_AUDIO })
  if (!parsed.ok) return refused(parsed)
  const { model } = parsed.value.options
  if (!isTranscriptionModel(model)) return { kind: 'unserved_model' }
  if (typeof durationMs !== 'number' || !Number.isSafeInteger(durationMs) || durationMs < 1) {
    return refused(invalid(FIELD, `${FIELD} must be a whole number of milliseconds.`))
  }
  if (durationMs > MAX_AUDIO_MS) {
    return refused(invalid(FIELD, `${FIELD} is ${durationMs}; the model takes ${MAX_AUDIO_MS}.`, 'audio_too_long'))
  }
  if (durationMs < MIN_AUDIO_MS) {
    return refused(invalid(FIELD, `${FIELD} is ${durationMs}; the model takes nothing below ${MIN_AUDIO_MS}.`, 'audio_too_short'))
  }
  return {
    kind: 'parsed',
    model,
    canonicalBody: '',
    fingerprint: '',
    quote: quoteTranscription({ durationMs }),
    providerDeadlineMs: TRANSCRIPTION_DEADLINE_MS,
    audio: undefined,
  }
}

function refused({ problem }: ReturnType<typeof invalid>): EffectiveBody {
  return { kind: 'problem', problem }
}
