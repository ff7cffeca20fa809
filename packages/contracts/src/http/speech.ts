import Type, { type Static } from 'typebox'
import { compile } from '../validator.ts'
import { incomplete, invalid, type Parsed, problemFromSchema } from './request-problem.ts'
import { DEFAULT_VOICE, VOICE_ALIASES, type VoiceAlias } from './voices.ts'

export const MAX_SPEECH_CHARACTERS = 2_000

const SPEED = { minimum: 0.7, maximum: 1.2, default: 1 }
const fields = {
  model: Type.String(),
  input: Type.String({ minLength: 1, maxLength: MAX_SPEECH_CHARACTERS }),
  voice: Type.Optional(Type.Enum([...VOICE_ALIASES], { default: DEFAULT_VOICE })),
  response_format: Type.Optional(Type.Enum(['mp3'], { default: 'mp3' })),
}

/** POST /v1/audio/speech as the interface states it: no other fields. Lengths are code points. */
export const SpeechRequest = Type.Object(
  { ...fields, speed: Type.Optional(Type.Number({ ...SPEED, multipleOf: 0.001 })) },
  { additionalProperties: false },
)

/** Defaults filled in. */
export type EffectiveSpeechRequest = { model: string; input: string; voice: VoiceAlias; response_format: 'mp3'; speed: number }

// Validators divide to check `multipleOf`, and in binary 0.701 / 0.001 is no whole number: the step is checked by isThousandths.
const Checked = Type.Object({ ...fields, speed: Type.Optional(Type.Number(SPEED)) }, { additionalProperties: false })
const validate = compile(Checked)

/** Reads a parsed JSON body. Pure. */
export function parseSpeechRequest(body: unknown): Parsed<EffectiveSpeechRequest> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validate(body)
  if (!checked.ok) return problemFromSchema(checked.problems)
  const request: Static<typeof Checked> = checked.value
  const speed = request.speed ?? SPEED.default
  if (!isThousandths(speed)) return invalid('speed', 'speed must be a multiple of 0.001.')
  return {
    ok: true,
    value: {
      model: request.model,
      input: request.input,
      voice: request.voice ?? DEFAULT_VOICE,
      response_format: 'mp3',
      speed,
    },
  }
}

/** Whether this is the number that a decimal with at most three places is read as: dividing rounds to it exactly. */
function isThousandths(value: number): boolean {
  return Math.round(value * 1_000) / 1_000 === value
}
