import {
  decodeCanonicalBase64,
  type EffectiveTranscriptionRequest,
  incomplete,
  invalid,
  type Parsed,
  parseTranscriptionForm,
  parseTranscriptionJson,
  type TranscriptionOptions,
} from '@turnpike/contracts'
import { type InspectedAudio, inspectAudio } from './inspect-audio.ts'
import { readTranscriptionForm } from './read-form.ts'

/** One request for a transcription, whichever way it was encoded. */
export type TranscriptionUpload = { model: string; options: TranscriptionOptions; audio: InspectedAudio }

export function parseUploadJson(body: unknown): Parsed<TranscriptionUpload> {
  const parsed = parseTranscriptionJson(body)
  if (!parsed.ok) return parsed
  const bytes = decodeCanonicalBase64(parsed.value.audioBase64)
  if (bytes === undefined) {
    return invalid('audio_base64', 'audio_base64 must be canonical RFC 4648 Base64: padded, no data URL, no whitespace.')
  }
  return withAudio(parsed.value.options, inspectAudio(bytes, 'audio_base64'))
}

export async function parseUploadForm(body: Buffer, contentType: string): Promise<Parsed<TranscriptionUpload>> {
  const form = await readTranscriptionForm(body, contentType)
  if (!form.ok) return form
  const { fields, file } = form.value
  const options = parseTranscriptionForm(fields)
  if (!options.ok) return options
  return file === undefined ? incomplete('file') : withAudio(options.value, inspectAudio(file, 'file'))
}

/** What is hashed, and what the worker gets: the audio stands in it by the hash of its bytes. */
export function effectiveTranscription({ options, audio }: TranscriptionUpload): EffectiveTranscriptionRequest {
  return { ...options, audio_sha256: audio.sha256 }
}

function withAudio(options: TranscriptionOptions, audio: Parsed<InspectedAudio>): Parsed<TranscriptionUpload> {
  return audio.ok ? { ok: true, value: { model: options.model, options, audio: audio.value } } : audio
}
