import { compile } from '@turnpike/contracts'
import Type, { type Static } from 'typebox'
import { GenerateContentResponse } from './wire.ts'

const ImagePart = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean()),
  inlineData: Type.Optional(Type.Object({ mimeType: Type.Optional(Type.String()), data: Type.String() })),
})
export type ImagePart = Static<typeof ImagePart>

// Read as leniently as text answers are (wire.ts).
const GenerateImageResponse = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        content: Type.Optional(Type.Object({ parts: Type.Optional(Type.Array(ImagePart)) })),
        finishReason: Type.Optional(Type.String()),
      }),
    ),
  ),
  promptFeedback: GenerateContentResponse.properties.promptFeedback,
  usageMetadata: GenerateContentResponse.properties.usageMetadata,
})
export type GenerateImageResponse = Static<typeof GenerateImageResponse>

const validate = compile(GenerateImageResponse)

/** undefined when the bytes are not a response of this API. */
export function parseImageResponse(body: Buffer): GenerateImageResponse | undefined {
  try {
    const checked = validate(JSON.parse(body.toString('utf8')))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}
