import type { TranscriptionRequest } from '../../transcription/transcription-request.ts'

// The client's own name for its file is none of the upstream's business.
const FILE_NAME = 'audio.mp3'

/**
 * The multipart body of one call. What has a default is always said, because the upstream's are not ours: events tagged, words timed.
 * Several channels never: they are billed one by one.
 */
export async function writeTranscriptionForm(
  target: string,
  { mp3, language, diarize, numSpeakers, timestamps, tagAudioEvents }: TranscriptionRequest,
): Promise<{ contentType: string; body: Uint8Array }> {
  const form = new FormData()
  form.set('model_id', target)
  form.set('file_format', 'other')
  form.set('timestamps_granularity', timestamps)
  form.set('tag_audio_events', String(tagAudioEvents))
  form.set('diarize', String(diarize))
  form.set('use_multi_channel', 'false')
  if (numSpeakers !== undefined) form.set('num_speakers', String(numSpeakers))
  if (language !== undefined) form.set('language_code', language)
  form.set('file', new File([mp3], FILE_NAME, { type: 'audio/mpeg' }))
  // The runtime's own encoder of forms, and the boundary that it chose.
  const encoded = new Response(form)
  const contentType = encoded.headers.get('content-type')
  if (contentType === null) throw new TypeError('a form without a type')
  return { contentType, body: new Uint8Array(await encoded.arrayBuffer()) }
}
