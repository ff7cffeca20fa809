import { countTokens } from './count-tokens.ts'
import type { GeminiModel } from './models.ts'
import type { Content, GenerateRequest, InlineData } from './request.ts'
import { imageSizeOf } from './size-image.ts'

export interface PromptTokens {
  text: number
  image: number
  other: number
}

export interface Usage {
  promptTokenCount: number
  candidatesTokenCount?: number
  totalTokenCount: number
  promptTokensDetails: { modality: string; tokenCount: number }[]
  candidatesTokensDetails?: { modality: string; tokenCount: number }[]
  thoughtsTokenCount?: number
}

/** Text, names, arguments and declarations by their characters; images by tile. */
export function countPrompt(model: GeminiModel, request: GenerateRequest): PromptTokens {
  const counted: PromptTokens = { text: 0, image: 0, other: 0 }
  const contents: Content[] = [...(request.systemInstruction ? [request.systemInstruction] : []), ...(request.contents ?? [])]
  for (const part of contents.flatMap((content) => content.parts ?? [])) {
    if (part.text !== undefined) counted.text += countTokens(part.text)
    if (part.functionCall)
      counted.text += countTokens(part.functionCall.name ?? '') + countTokens(JSON.stringify(part.functionCall.args ?? {}))
    if (part.functionResponse)
      counted.text +=
        countTokens(part.functionResponse.name ?? '') + countTokens(JSON.stringify(part.functionResponse.response ?? {}))
    for (const blob of [part.inlineData, ...(part.functionResponse?.parts ?? []).map(({ inlineData }) => inlineData)])
      if (blob) addMedia(counted, model, blob)
  }
  if (request.tools) counted.text += countTokens(JSON.stringify(request.tools))
  const { responseSchema, responseJsonSchema } = request.generationConfig ?? {}
  const schema = responseSchema ?? responseJsonSchema
  if (schema !== undefined) counted.text += countTokens(JSON.stringify(schema))
  return counted
}

const tileTokens = 258
const tilePixels = 768
const generation3ImageTokens = 1_120

function addMedia(counted: PromptTokens, model: GeminiModel, blob: InlineData): void {
  const size = imageSizeOf(blob)
  // Sound, video and documents: a nominal count by bytes, under their own modality.
  if (!size) counted.other += Math.ceil(((blob.data ?? '').length * 3) / 4 / 1_024)
  else if (model.generation === 3) counted.image += generation3ImageTokens
  else if (size.width <= 384 && size.height <= 384) counted.image += tileTokens
  else counted.image += tileTokens * Math.ceil(size.width / tilePixels) * Math.ceil(size.height / tilePixels)
}

export interface OutputTokens {
  text: number
  image: number
  thoughts: number
}

/** As the wire has it: absent where zero, thoughts apart from candidates, the total over everything. */
export function usageOf(prompt: PromptTokens, output: OutputTokens): Usage {
  const promptTokenCount = prompt.text + prompt.image + prompt.other
  const candidatesTokenCount = output.text + output.image
  const usage: Usage = {
    promptTokenCount,
    totalTokenCount: promptTokenCount + candidatesTokenCount + output.thoughts,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: prompt.text },
      ...(prompt.image > 0 ? [{ modality: 'IMAGE', tokenCount: prompt.image }] : []),
      ...(prompt.other > 0 ? [{ modality: 'DOCUMENT', tokenCount: prompt.other }] : []),
    ],
  }
  if (candidatesTokenCount > 0) usage.candidatesTokenCount = candidatesTokenCount
  if (output.image > 0)
    usage.candidatesTokensDetails = [
      { modality: 'IMAGE', tokenCount: output.image },
      ...(output.text > 0 ? [{ modality: 'TEXT', tokenCount: output.text }] : []),
    ]
  if (output.thoughts > 0) usage.thoughtsTokenCount = output.thoughts
  return usage
}
