import type { Kind, Message } from './proto-decode.ts'

/** The wire's messages as far as generateContent takes them (v1beta); whatever is not here is an unknown name. */

const string: Kind = { kind: 'string' }
const bool: Kind = { kind: 'bool' }
const float: Kind = { kind: 'float' }
const int32: Kind = { kind: 'int32' }
const int64: Kind = { kind: 'int64' }
const bytes: Kind = { kind: 'bytes' }
const value: Kind = { kind: 'value' }
const struct: Kind = { kind: 'struct' }
const list = (of: Kind): Kind => ({ kind: 'list', of })
const map = (of: Kind): Kind => ({ kind: 'map', of })
const message = (of: () => Message): Kind => ({ kind: 'message', message: of })
const oneOf = (typeName: string, ...values: string[]): Kind => ({ kind: 'enum', typeName, values })

const schema: Message = {
  typeName: 'Schema',
  fields: {
    type: oneOf('Type', 'TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'),
    format: string,
    title: string,
    description: string,
    nullable: bool,
    enum: list(string),
    items: message(() => schema),
    maxItems: int64,
    minItems: int64,
    properties: map(message(() => schema)),
    required: list(string),
    minProperties: int64,
    maxProperties: int64,
    minLength: int64,
    maxLength: int64,
    minimum: float,
    maximum: float,
    pattern: string,
    example: value,
    anyOf: list(message(() => schema)),
    propertyOrdering: list(string),
    default: value,
  },
}

const blob: Message = { typeName: 'Blob', fields: { mimeType: string, data: bytes } }
const fileData: Message = { typeName: 'FileData', fields: { mimeType: string, fileUri: string } }

const functionResponsePart: Message = {
  typeName: 'FunctionResponsePart',
  fields: {
    inlineData: message(() => ({
      typeName: 'FunctionResponseBlob',
      fields: { mimeType: string, data: bytes, displayName: string },
    })),
  },
}

const part: Message = {
  typeName: 'Part',
  fields: {
    text: string,
    inlineData: message(() => blob),
    fileData: message(() => fileData),
    functionCall: message(() => ({ typeName: 'FunctionCall', fields: { id: string, name: string, args: struct } })),
    functionResponse: message(() => ({
      typeName: 'FunctionResponse',
      fields: {
        id: string,
        name: string,
        response: struct,
        parts: list(message(() => functionResponsePart)),
        willContinue: bool,
        scheduling: oneOf('FunctionResponse.Scheduling', 'SCHEDULING_UNSPECIFIED', 'SILENT', 'WHEN_IDLE', 'INTERRUPT'),
      },
    })),
    executableCode: struct,
    codeExecutionResult: struct,
    videoMetadata: struct,
    thought: bool,
    thoughtSignature: bytes,
    partMetadata: struct,
    mediaResolution: struct,
  },
  oneofs: {
    data: ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'],
  },
}

const content: Message = { typeName: 'Content', fields: { role: string, parts: list(message(() => part)) } }

const functionDeclaration: Message = {
  typeName: 'FunctionDeclaration',
  fields: {
    name: string,
    description: string,
    behavior: oneOf('FunctionDeclaration.Behavior', 'UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING'),
    parameters: message(() => schema),
    parametersJsonSchema: value,
    response: message(() => schema),
    responseJsonSchema: value,
  },
}

const tool: Message = {
  typeName: 'Tool',
  fields: {
    functionDeclarations: list(message(() => functionDeclaration)),
    googleSearch: struct,
    googleSearchRetrieval: struct,
    googleMaps: struct,
    codeExecution: struct,
    computerUse: struct,
    urlContext: struct,
    fileSearch: struct,
  },
}

const toolConfig: Message = {
  typeName: 'ToolConfig',
  fields: {
    functionCallingConfig: message(() => ({
      typeName: 'FunctionCallingConfig',
      fields: {
        mode: oneOf('FunctionCallingConfig.Mode', 'MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'),
        allowedFunctionNames: list(string),
      },
    })),
    retrievalConfig: struct,
  },
}

const generationConfig: Message = {
  typeName: 'GenerationConfig',
  fields: {
    candidateCount: int32,
    stopSequences: list(string),
    maxOutputTokens: int32,
    temperature: float,
    topP: float,
    topK: int32,
    seed: int32,
    presencePenalty: float,
    frequencyPenalty: float,
    responseLogprobs: bool,
    logprobs: int32,
    responseMimeType: string,
    responseSchema: message(() => schema),
    responseJsonSchema: value,
    responseModalities: list(oneOf('GenerationConfig.Modality', 'MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO')),
    imageConfig: message(() => ({ typeName: 'ImageConfig', fields: { aspectRatio: string, imageSize: string } })),
    thinkingConfig: message(() => ({
      typeName: 'ThinkingConfig',
      fields: {
        includeThoughts: bool,
        thinkingBudget: int32,
        thinkingLevel: oneOf('ThinkingConfig.ThinkingLevel', 'THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
      },
    })),
    mediaResolution: string,
    speechConfig: struct,
    enableEnhancedCivicAnswers: bool,
  },
}

const safetySetting: Message = {
  typeName: 'SafetySetting',
  fields: {
    category: oneOf(
      'HarmCategory',
      'HARM_CATEGORY_UNSPECIFIED',
      'HARM_CATEGORY_HARASSMENT',
      'HARM_CATEGORY_HATE_SPEECH',
      'HARM_CATEGORY_SEXUALLY_EXPLICIT',
      'HARM_CATEGORY_DANGEROUS_CONTENT',
      'HARM_CATEGORY_CIVIC_INTEGRITY',
    ),
    threshold: oneOf(
      'SafetySetting.HarmBlockThreshold',
      'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
      'BLOCK_LOW_AND_ABOVE',
      'BLOCK_MEDIUM_AND_ABOVE',
      'BLOCK_ONLY_HIGH',
      'BLOCK_NONE',
      'OFF',
    ),
  },
}

export const generateContentRequest: Message = {
  typeName: 'GenerateContentRequest',
  fields: {
    model: string,
    contents: list(message(() => content)),
    systemInstruction: message(() => content),
    tools: list(message(() => tool)),
    toolConfig: message(() => toolConfig),
    safetySettings: list(message(() => safetySetting)),
    generationConfig: message(() => generationConfig),
    cachedContent: string,
    serviceTier: string,
    store: bool,
  },
}
