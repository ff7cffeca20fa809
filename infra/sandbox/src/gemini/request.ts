import { decodeMessage } from './proto-decode.ts'
import { generateContentRequest } from './request-messages.ts'
import { badRequest, type FieldViolation, type WireError } from './wire-error.ts'

/** A decoded request; every field may be absent, as on the wire. */
export interface GenerateRequest {
  contents?: Content[]
  systemInstruction?: Content
  tools?: Tool[]
  toolConfig?: { functionCallingConfig?: { mode?: CallingMode; allowedFunctionNames?: string[] } }
  safetySettings?: { category?: string; threshold?: string }[]
  generationConfig?: GenerationConfig
  cachedContent?: string
}

export type CallingMode = 'MODE_UNSPECIFIED' | 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'

export interface Content {
  role?: string
  parts?: Part[]
}

export interface InlineData {
  mimeType?: string
  data?: string
  displayName?: string
}

export interface Part {
  text?: string
  inlineData?: InlineData
  fileData?: { mimeType?: string; fileUri?: string }
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> }
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown>; parts?: { inlineData?: InlineData }[] }
  executableCode?: Record<string, unknown>
  codeExecutionResult?: Record<string, unknown>
  thought?: boolean
  thoughtSignature?: string
}

export interface FunctionDeclaration {
  name?: string
  description?: string
  parameters?: Record<string, unknown>
  parametersJsonSchema?: unknown
  response?: Record<string, unknown>
  responseJsonSchema?: unknown
}

export interface Tool {
  functionDeclarations?: FunctionDeclaration[]
}

export interface GenerationConfig {
  candidateCount?: number
  stopSequences?: string[]
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  seed?: number
  presencePenalty?: number
  frequencyPenalty?: number
  responseLogprobs?: boolean
  logprobs?: number
  responseMimeType?: string
  responseSchema?: Record<string, unknown>
  responseJsonSchema?: unknown
  responseModalities?: string[]
  imageConfig?: { aspectRatio?: string; imageSize?: string }
  thinkingConfig?: { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }
  speechConfig?: Record<string, unknown>
}

/** `text` is the last user text, as far as the body could be read. */
export type DecodedRequest = { text: string } & ({ ok: true; request: GenerateRequest } | { ok: false; error: WireError })

export function decodeRequest(body: Buffer): DecodedRequest {
  let json: unknown
  try {
    json = JSON.parse(body.toString('utf8'))
  } catch (error) {
    const description = `Invalid JSON payload received. ${error instanceof SyntaxError ? error.message.slice(0, 200) : 'Parsing terminated before end of input.'}`
    return { ok: false, text: '', error: badRequest([{ description }]) }
  }
  const violations: FieldViolation[] = []
  // The decoder proves this shape, field by field, against the message table; what does not fit is left out.
  const request = decodeMessage(generateContentRequest, json, '', violations) as GenerateRequest
  const text = lastUserText(request)
  return violations.length > 0 ? { ok: false, text, error: badRequest(violations) } : { ok: true, text, request }
}

export function declarationsOf(request: GenerateRequest): FunctionDeclaration[] {
  return (request.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [])
}

/** The text of the last user content that has any. */
export function lastUserText(request: GenerateRequest): string {
  const contents = request.contents ?? []
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    const content = contents[index]
    if (!content || content.role === 'model') continue
    const text = textOf(content)
    if (text !== '') return text
  }
  return ''
}

export function textOf(content: Content | undefined): string {
  return (content?.parts ?? []).map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
}
