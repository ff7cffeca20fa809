import Type from 'typebox'
import { IMAGE_MODELS, SPEECH_MODELS, TRANSCRIPTION_MODELS } from '../../models.ts'

const Created = Type.Integer({ description: 'Seconds since the epoch.' })
const HostedUrl = Type.String({
  format: 'uri',
  description: 'A capability URL: whoever has it may fetch the file. Keep it out of logs and public messages.',
})
const ExpiresAt = Type.String({ format: 'date-time' })

/** POST /v1/images/generations. */
export const ImagesResponse = Type.Object({
  created: Created,
  model: Type.Enum([...IMAGE_MODELS]),
  image_size: Type.Literal('1K'),
  aspect_ratio: Type.Literal('1:1'),
  data: Type.Array(
    Type.Object({
      url: HostedUrl,
      backed_up: Type.Literal(true),
      url_expires_at: ExpiresAt,
      url_retention_days: Type.Literal(7),
      b64_json: Type.Optional(
        Type.String({ contentEncoding: 'base64', description: 'Present when response_format is b64_json.' }),
      ),
      revised_prompt: Type.Optional(Type.String()),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  price: Type.Object({ amount: Type.String(), currency: Type.Literal('USD') }),
})

/** POST /v1/audio/speech. */
export const SpeechResponse = Type.Object({
  id: Type.String(),
  created: Created,
  model: Type.Enum([...SPEECH_MODELS]),
  data: Type.Array(
    Type.Object({
      url: HostedUrl,
      format: Type.Literal('mp3'),
      content_type: Type.String(),
      bytes: Type.Integer({ minimum: 1 }),
      duration_ms: Type.Integer({ minimum: 1 }),
      characters: Type.Integer({ minimum: 1 }),
      expires_at: ExpiresAt,
      backed_up: Type.Literal(true),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  usage: Type.Object({ input_characters: Type.Integer({ minimum: 1 }) }, { additionalProperties: false }),
})

/** POST /v1/audio/transcriptions. */
export const TranscriptionResponse = Type.Object({
  id: Type.String(),
  created: Created,
  model: Type.Enum([...TRANSCRIPTION_MODELS]),
  text: Type.String(),
  language: Type.Optional(Type.String()),
  language_probability_millionths: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  usage: Type.Object({ input_audio_ms: Type.Integer({ minimum: 1 }) }),
  words: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
})
