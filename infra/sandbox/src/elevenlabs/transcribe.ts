import type { PreparedCall, Reply, UpstreamRequest } from '../reply.ts'
import { contentRefused, json, newRequestId, type Problem, problemReply, validationReply } from './detail.ts'
import { hear } from './hear.ts'
import { parseTranscription, type TranscriptionOptions } from './parse-transcription.ts'
import { readMultipart } from './read-multipart.ts'
import { titleIn } from './speech-clip.ts'
import { type Transcript, writeTranscript } from './write-transcript.ts'

const minimumMs = 100

/** `POST /v1/speech-to-text`. */
export function prepareTranscription(request: UpstreamRequest): PreparedCall {
  const contentType = request.header('content-type') ?? ''
  return {
    model: quickField(request.body, 'model_id'),
    // By its title, if it has one, a test finds its own audio among the calls.
    text: titleIn(request.body),
    async answer(mode) {
      const multipart = await readMultipart(contentType, request.body)
      if (!multipart) return problemReply(unreadable)
      const parsed = parseTranscription(multipart, request.query)
      switch (parsed.kind) {
        case 'fields':
          return validationReply(parsed.problems)
        case 'problem':
          return problemReply(parsed.problem)
        case 'accepted': {
          const milliseconds = measure(parsed.options, parsed.audio)
          if (milliseconds === undefined) return problemReply(corrupted)
          if (milliseconds < minimumMs) return problemReply(tooShort)
          if (mode === 'blocked') return problemReply(contentRefused())
          return transcription(
            parsed.options,
            milliseconds,
            writeTranscript(parsed.options, mode === 'no-content' ? 0 : milliseconds),
          )
        }
      }
    },
  }
}

const pcmBytesPerMs = 32

function measure(options: TranscriptionOptions, audio: Buffer): number | undefined {
  if (options.rawPcm) return Math.floor(audio.length / pcmBytesPerMs)
  return hear(audio)?.milliseconds
}

function transcription(options: TranscriptionOptions, milliseconds: number, { text, words }: Transcript): Reply {
  const requestId = newRequestId()
  const body = {
    language_code: options.languageCode ?? 'eng',
    language_probability: options.languageCode === undefined ? 0.9875 : 1,
    text,
    words,
    transcription_id: requestId.slice(0, 20),
    audio_duration_secs: milliseconds / 1_000,
  }
  return json(200, body, requestId)
}

/** A form field's value for the call log, without parsing 26 MB of audio a second time. */
function quickField(body: Buffer, name: string): string {
  const at = body.indexOf(`name="${name}"`)
  const start = at < 0 ? -1 : body.indexOf('\r\n\r\n', at)
  if (start < 0) return ''
  return body.toString('utf8', start + 4, Math.min(start + 4 + 100, Math.max(start + 4, body.indexOf('\r\n', start + 4))))
}

const unreadable: Problem = {
  httpStatus: 400,
  type: 'validation_error',
  code: 'invalid_form',
  message: 'There was an error parsing the body',
}
const corrupted: Problem = {
  httpStatus: 400,
  type: 'validation_error',
  code: 'invalid_audio',
  message: 'File upload is corrupted. Please ensure it is playable audio.',
  param: 'file',
}
const tooShort: Problem = {
  httpStatus: 400,
  type: 'validation_error',
  code: 'audio_too_short',
  message: `Audio is too short. The minimum audio length is ${minimumMs}ms.`,
  param: 'file',
}
