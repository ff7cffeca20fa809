import type { AssistantPart, TextRequest, ToolChoice, Turn, UserPart } from '../../text/text-request.ts'
import { reduceParameters, reduceResponseSchema } from './reduce-schema.ts'
import { thinkingConfig } from './thinking.ts'
import type { GenerateContentRequest, WireContent, WirePart } from './wire.ts'

/** Gemini 3 refuses a call in history that lost its signature, unless this stands in its place on the first call of the step. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

export function writeRequest(model: string, request: TextRequest): GenerateContentRequest {
  const thinking = thinkingConfig(model, request.thinking, request.maxOutputTokens)
  const { sampling } = request
  return {
    contents: request.turns.map((turn) => writeTurn(model, turn)),
    ...(request.system.length === 0
      ? {}
      : { systemInstruction: { role: 'user', parts: request.system.map((text) => ({ text })) } }),
    ...(request.tools.length === 0 ? {} : { tools: writeTools(request), toolConfig: writeToolChoice(request.toolChoice) }),
    generationConfig: {
      maxOutputTokens: request.maxOutputTokens,
      ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
      ...(sampling.topP === undefined ? {} : { topP: sampling.topP }),
      ...(sampling.topK === undefined ? {} : { topK: sampling.topK }),
      ...(sampling.seed === undefined ? {} : { seed: sampling.seed }),
      ...(request.stopSequences.length === 0 ? {} : { stopSequences: request.stopSequences }),
      ...writeOutput(request),
      ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
    },
  }
}

function writeTurn(model: string, turn: Turn): WireContent {
  if (turn.role === 'user') return { role: 'user', parts: turn.parts.flatMap(writeUserPart) }
  const firstCall = turn.parts.find((part) => part.type === 'tool_call')
  return { role: 'model', parts: turn.parts.map((part) => writeAssistantPart(model, part, part === firstCall)) }
}

function writeUserPart(part: UserPart): WirePart[] {
  switch (part.type) {
    case 'text':
      return [{ text: part.text }]
    case 'image':
      return [{ inlineData: { mimeType: part.mimeType, data: part.base64 } }]
    case 'tool_result':
      return [
        {
          functionResponse: {
            id: part.callId,
            name: part.name,
            response: part.isError ? { error: part.text } : { output: part.text },
          },
        },
        ...part.images.flatMap(writeUserPart),
      ]
  }
}

function writeAssistantPart(model: string, part: AssistantPart, isFirstCall: boolean): WirePart {
  if (part.type === 'text') return { text: part.text }
  const signature = part.signature ?? (isFirstCall && model.startsWith('gemini-3') ? NO_SIGNATURE : undefined)
  return {
    functionCall: { id: part.id, name: part.name, args: part.arguments },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  }
}

function writeTools(request: TextRequest): NonNullable<GenerateContentRequest['tools']> {
  const functionDeclarations = request.tools.map(({ name, description, parameters }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    parametersJsonSchema: reduceParameters(parameters),
  }))
  return [{ functionDeclarations }]
}

function writeToolChoice(choice: ToolChoice): NonNullable<GenerateContentRequest['toolConfig']> {
  switch (choice.mode) {
    case 'auto':
      return { functionCallingConfig: { mode: 'AUTO' } }
    case 'none':
      return { functionCallingConfig: { mode: 'NONE' } }
    case 'required':
      return { functionCallingConfig: { mode: 'ANY' } }
    case 'named':
      return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [choice.name] } }
  }
}

function writeOutput({ output }: TextRequest): { responseMimeType?: string; responseJsonSchema?: Record<string, unknown> } {
  switch (output.format) {
    case 'text':
      return {}
    case 'json':
      return { responseMimeType: 'application/json' }
    case 'json_schema':
      return { responseMimeType: 'application/json', responseJsonSchema: reduceResponseSchema(output.schema) }
  }
}
