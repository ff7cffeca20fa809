import { isRecord } from './json-schema.ts'
import type { GeminiModel } from './models.ts'
import type { Content, GenerateRequest, InlineData, Part } from './request.ts'
import { imageSizeOf, imageTypes } from './size-image.ts'
import { isThoughtSignature } from './thought-signature.ts'

/** Messages of the proto validation about contents. */
export function findContentProblems(request: GenerateRequest): string[] {
  if (!request.contents || request.contents.length === 0) return ['GenerateContentRequest.contents: contents is not specified']
  const problems = request.contents.flatMap((content, index) =>
    findPartProblems(content, `GenerateContentRequest.contents[${index}]`),
  )
  if (request.systemInstruction)
    problems.push(...findPartProblems(request.systemInstruction, 'GenerateContentRequest.system_instruction'))
  return problems
}

const dataFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
] as const

function findPartProblems(content: Content, at: string): string[] {
  if (!content.parts || content.parts.length === 0) return [`${at}.parts: contents.parts must not be empty.`]
  return content.parts.flatMap((part, index) => {
    const where = `${at}.parts[${index}]`
    if (!dataFields.some((field) => part[field] !== undefined) || part.text === '')
      return [`${where}.data: required oneof field 'data' must have one initialized field`]
    if (part.functionCall && !part.functionCall.name) return [`${where}.function_call.name: Name cannot be empty.`]
    if (part.functionResponse && !part.functionResponse.name) return [`${where}.function_response.name: Name cannot be empty.`]
    return []
  })
}

/** What the model's front end says about the conversation, in one sentence. */
export function findContentRefusal(model: GeminiModel, request: GenerateRequest): string | undefined {
  const contents = request.contents ?? []
  for (const content of contents)
    if (content.role !== undefined && !['', 'user', 'model'].includes(content.role))
      return 'Please use a valid role: user, model.'
  if (contents.length === 1 && contents[0]?.role === 'model')
    return 'Please ensure that single turn requests end with a user role or the role field is not specified.'
  if (request.systemInstruction?.parts?.some((part) => part.text === undefined))
    return 'System instruction can only contain text parts.'
  return (
    findPairRefusal(contents) ??
    findMediaRefusal(contents) ??
    (model.generation === 3 ? findSignatureRefusal(contents) : undefined)
  )
}

function callsOf(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionCall)
}

function responsesOf(content: Content | undefined): Part[] {
  return (content?.parts ?? []).filter((part) => part.functionResponse)
}

/** Every function call turn is answered by the next content: as many responses, for the same functions. */
function findPairRefusal(contents: readonly Content[]): string | undefined {
  for (const [index, content] of contents.entries()) {
    const calls = callsOf(content)
    const responses = responsesOf(content)
    const previous = contents[index - 1]
    if (calls.length > 0) {
      if (content.role !== 'model' || !previous || previous.role === 'model')
        return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
      const answers = responsesOf(contents[index + 1])
      if (answers.length !== calls.length)
        return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
      const mismatch = findMismatch(calls, answers)
      if (mismatch) return mismatch
    }
    if (responses.length > 0 && (content.role === 'model' || callsOf(previous).length === 0))
      return 'Please ensure that function response turn comes immediately after a function call turn.'
    const reference = responses.find((part) => hasUnknownReference(part))
    if (reference)
      return `Invalid function response for ${reference.functionResponse?.name}: a $ref must name the display_name of one of the response's parts.`
  }
  return undefined
}

function findMismatch(calls: readonly Part[], answers: readonly Part[]): string | undefined {
  const open = calls.map((part) => part.functionCall)
  for (const { functionResponse: answer } of answers) {
    const found = open.findIndex((call) => call?.name === answer?.name && (!call?.id || !answer?.id || call.id === answer.id))
    if (found < 0)
      return `Please ensure that the function response parts match the function call parts of the function call turn: no open call of ${JSON.stringify(answer?.name)}${answer?.id ? ` with id ${JSON.stringify(answer.id)}` : ''}.`
    open.splice(found, 1)
  }
  return undefined
}

/** `{"$ref": …}` anywhere in a response points at one of its multimodal parts; a tool result that happens to hold one is refused. */
function hasUnknownReference(part: Part): boolean {
  const names = new Set((part.functionResponse?.parts ?? []).map(({ inlineData }) => inlineData?.displayName))
  const search = (value: unknown, depth: number): boolean => {
    if (depth > 64) return false
    if (Array.isArray(value)) return value.some((element) => search(element, depth + 1))
    if (!isRecord(value)) return false
    if (typeof value.$ref === 'string' && !names.has(value.$ref)) return true
    return Object.values(value).some((element) => search(element, depth + 1))
  }
  return search(part.functionResponse?.response, 0)
}

const otherMediaTypes =
  /^(application\/pdf|text\/(plain|html|css|csv|xml|markdown)|audio\/(wav|mp3|mpeg|aiff|aac|ogg|flac)|video\/(mp4|mpeg|mov|avi|webm|wmv|3gpp))$/

function findMediaRefusal(contents: readonly Content[]): string | undefined {
  for (const part of contents.flatMap((content) => content.parts ?? [])) {
    if (part.fileData) return 'Cannot fetch content from the provided URL.'
    const blobs = [part.inlineData, ...(part.functionResponse?.parts ?? []).map(({ inlineData }) => inlineData)]
    for (const blob of blobs) {
      const refusal = blob && findBlobRefusal(blob)
      if (refusal) return refusal
    }
  }
  return undefined
}

function findBlobRefusal(blob: InlineData): string | undefined {
  const mimeType = blob.mimeType ?? ''
  if (!imageTypes.has(mimeType)) return otherMediaTypes.test(mimeType) ? undefined : `Unsupported MIME type: ${mimeType}`
  if (imageSizeOf(blob)) return undefined
  return 'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting'
}

/**
 * Gemini 3: in the current turn (after the last user content that is no function response) the first function call of every
 * step carries its signature; whatever signature is present is a real one.
 */
function findSignatureRefusal(contents: readonly Content[]): string | undefined {
  const turnStart = contents.findLastIndex((content) => content.role !== 'model' && responsesOf(content).length === 0)
  for (const [index, content] of contents.entries()) {
    for (const part of content.parts ?? [])
      if (part.thoughtSignature !== undefined && !isThoughtSignature(part.thoughtSignature))
        return 'Thought signature is not valid.'
    const [first] = callsOf(content)
    if (index > turnStart && first && first.thoughtSignature === undefined)
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall?.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
  }
  return undefined
}
