import { compile } from '@turnpike/contracts'
import Type, { type Static } from 'typebox'

// generateContent as it stands on the wire. Requests are ours to shape; responses are read leniently: any member may be absent and
// unknown ones are ignored, but a member of the wrong type is no answer of this API.

export type WirePart = {
  text?: string
  inlineData?: { mimeType: string; data: string }
  functionCall?: { id?: string; name: string; args: Record<string, unknown> }
  functionResponse?: { id?: string; name: string; response: Record<string, unknown> }
  thoughtSignature?: string
}
export type WireContent = { role: 'user' | 'model'; parts: WirePart[] }
export type ThinkingConfig = { thinkingBudget: number } | { thinkingLevel: 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH' }
export type GenerateContentRequest = {
  contents: WireContent[]
  systemInstruction?: { role: 'user'; parts: WirePart[] }
  tools?: { functionDeclarations: { name: string; description?: string; parametersJsonSchema: Record<string, unknown> }[] }[]
  toolConfig?: { functionCallingConfig: { mode: 'AUTO' | 'ANY' | 'NONE'; allowedFunctionNames?: string[] } }
  generationConfig: {
    maxOutputTokens: number
    temperature?: number
    topP?: number
    topK?: number
    seed?: number
    stopSequences?: string[]
    responseMimeType?: string
    responseJsonSchema?: Record<string, unknown>
    thinkingConfig?: ThinkingConfig
  }
}

const Count = Type.Optional(Type.Integer({ minimum: 0 }))
const ResponsePart = Type.Object({
  text: Type.Optional(Type.String()),
  thought: Type.Optional(Type.Boolean()),
  thoughtSignature: Type.Optional(Type.String()),
  functionCall: Type.Optional(
    Type.Object({
      id: Type.Optional(Type.String()),
      name: Type.String(),
      args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
})
export type ResponsePart = Static<typeof ResponsePart>

export const GenerateContentResponse = Type.Object({
  candidates: Type.Optional(
    Type.Array(
      Type.Object({
        content: Type.Optional(Type.Object({ parts: Type.Optional(Type.Array(ResponsePart)) })),
        finishReason: Type.Optional(Type.String()),
      }),
    ),
  ),
  promptFeedback: Type.Optional(Type.Object({ blockReason: Type.Optional(Type.String()) })),
  usageMetadata: Type.Optional(
    Type.Object({
      promptTokenCount: Count,
      cachedContentTokenCount: Count,
      candidatesTokenCount: Count,
      thoughtsTokenCount: Count,
      toolUsePromptTokenCount: Count,
    }),
  ),
})
export type GenerateContentResponse = Static<typeof GenerateContentResponse>

const ErrorResponse = Type.Object({
  error: Type.Object({
    code: Type.Optional(Type.Integer()),
    message: Type.Optional(Type.String()),
    status: Type.String(),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          '@type': Type.Optional(Type.String()),
          reason: Type.Optional(Type.String()),
          retryDelay: Type.Optional(Type.String()),
        }),
      ),
    ),
  }),
})
export type WireError = Static<typeof ErrorResponse>['error']

const validateResponse = compile(GenerateContentResponse)
const validateError = compile(ErrorResponse)

/** undefined when the bytes are not a response of this API. */
export function parseResponse(body: Buffer): GenerateContentResponse | undefined {
  const checked = validateResponse(parseJson(body))
  return checked.ok ? checked.value : undefined
}

/** undefined when the bytes are not this API's own error: a front end's HTML, a cut body. */
export function parseError(body: Buffer): WireError | undefined {
  const checked = validateError(parseJson(body))
  return checked.ok ? checked.value.error : undefined
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
