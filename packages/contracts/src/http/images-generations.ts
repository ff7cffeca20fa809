import Type, { type Static } from 'typebox'
import { compile } from '../validator.ts'
import { incomplete, type Parsed, problemFromSchema } from './request-problem.ts'

export const MAX_PROMPT_CHARACTERS = 4_000

/** POST /v1/images/generations as the interface states it: no other fields. Lengths are code points. */
export const ImageRequest = Type.Object(
  {
    model: Type.String(),
    prompt: Type.String({ minLength: 1, maxLength: MAX_PROMPT_CHARACTERS }),
    n: Type.Optional(Type.Literal(1, { default: 1 })),
    image_size: Type.Optional(Type.Enum(['1K'], { default: '1K' })),
    aspect_ratio: Type.Optional(Type.Enum(['1:1'], { default: '1:1' })),
    /** Deprecated: says image_size 1K with aspect_ratio 1:1. */
    size: Type.Optional(Type.Literal('1024x1024', { deprecated: true })),
    response_format: Type.Optional(Type.Enum(['url', 'b64_json'], { default: 'url' })),
  },
  { additionalProperties: false },
)

/** Defaults filled in; `size` has become the fields that it stands for. */
export type EffectiveImageRequest = {
  model: string
  prompt: string
  n: 1
  image_size: '1K'
  aspect_ratio: '1:1'
  response_format: 'url' | 'b64_json'
}

const validate = compile(ImageRequest)

/** Reads a parsed JSON body. Pure. */
export function parseImageRequest(body: unknown): Parsed<EffectiveImageRequest> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return incomplete('body')
  const checked = validate(body)
  if (!checked.ok) return problemFromSchema(checked.problems)
  const request: Static<typeof ImageRequest> = checked.value
  return {
    ok: true,
    value: {
      model: request.model,
      prompt: request.prompt,
      n: 1,
      // One tier and one ratio: whatever is not the default was refused above, so `size` can contradict neither.
      image_size: '1K',
      aspect_ratio: '1:1',
      response_format: request.response_format ?? 'url',
    },
  }
}
