import { findJsonSchemaProblem } from './check-json-schema.ts'
import { findOpenApiSchemaProblems } from './check-openapi-schema.ts'
import { type GeminiModel, maxOutputTokensLimit } from './models.ts'
import { declarationsOf, type GenerateRequest, type GenerationConfig } from './request.ts'
import { aspectRatios } from './size-image.ts'

const at = 'GenerateContentRequest.generation_config'

/** Messages of the proto validation, which reports every problem as a bullet. */
export function findConfigProblems(config: GenerationConfig): string[] {
  const problems: string[] = []
  const range = (name: string, value: number | undefined, minimum: number, maximum: number) => {
    if (value !== undefined && !(value >= minimum && value <= maximum))
      problems.push(`${at}.${name}: ${name} must be in the range [${minimum}, ${maximum}].`)
  }
  range('temperature', config.temperature, 0, 2)
  range('top_p', config.topP, 0, 1)
  range('logprobs', config.logprobs, 0, 20)
  range('presence_penalty', config.presencePenalty, -2, 2)
  range('frequency_penalty', config.frequencyPenalty, -2, 2)
  if (config.topK !== undefined && config.topK < 1) problems.push(`${at}.top_k: top_k must be positive.`)
  if (config.maxOutputTokens !== undefined && config.maxOutputTokens < 1)
    problems.push(`${at}.max_output_tokens: max_output_tokens must be positive.`)
  if (config.candidateCount !== undefined && config.candidateCount < 1)
    problems.push(`${at}.candidate_count: candidate_count must be positive.`)
  if ((config.stopSequences?.length ?? 0) > 5) problems.push(`${at}.stop_sequences: at most 5 stop sequences are allowed.`)
  for (const [index, sequence] of (config.stopSequences ?? []).entries())
    if (sequence === '') problems.push(`${at}.stop_sequences[${index}]: must not be empty.`)
  const mimeType = config.responseMimeType ?? ''
  if (!['', 'text/plain', 'application/json', 'text/x.enum'].includes(mimeType))
    problems.push(
      `${at}.response_mime_type: allowed mimetypes are \`text/plain\`, \`application/json\`, \`application/xml\`, \`application/yaml\` and \`text/x.enum\`.`,
    )
  return [...problems, ...findResponseSchemaProblems(config, mimeType)]
}

function findResponseSchemaProblems(config: GenerationConfig, mimeType: string): string[] {
  if (config.responseSchema && config.responseJsonSchema !== undefined)
    return [`${at}.response_json_schema: response_schema and response_json_schema are mutually exclusive.`]
  if (config.responseSchema) {
    const problems = findOpenApiSchemaProblems(config.responseSchema, `${at}.response_schema`)
    return needsJson(mimeType) ? [...problems, onlyForJson('response_schema')] : problems
  }
  if (config.responseJsonSchema === undefined) return []
  const problem = findJsonSchemaProblem(config.responseJsonSchema, 'response', `${at}.response_json_schema`)
  return [...(problem ? [problem] : []), ...(needsJson(mimeType) ? [onlyForJson('response_json_schema')] : [])]
}

function needsJson(mimeType: string): boolean {
  return mimeType === '' || mimeType === 'text/plain'
}

function onlyForJson(field: string): string {
  return `${at}.${field}: only allowed when response_mime_type is \`application/json\` or \`text/x.enum\`.`
}

/** What this model cannot do, one sentence, as the model's own front end says it. */
export function findUnsupported(model: GeminiModel, request: GenerateRequest): string | undefined {
  const config = request.generationConfig ?? {}
  if ((config.maxOutputTokens ?? 1) > maxOutputTokensLimit)
    return `Unable to submit request because it has a maxOutputTokens value of ${config.maxOutputTokens} but the supported range is from 1 (inclusive) to ${maxOutputTokensLimit + 1} (exclusive). Update the value and try again.`
  if ((config.candidateCount ?? 1) > 1) return 'Multiple candidates is not enabled for this model'
  if (config.presencePenalty || config.frequencyPenalty) return `Penalty is not enabled for models/${model.name}`
  if (config.responseLogprobs || config.logprobs !== undefined) return `Logprobs is not enabled for models/${model.name}`
  return findUnsupportedThinking(model, config) ?? findUnsupportedOutput(model, config) ?? findUnsupportedTools(model, request)
}

function findUnsupportedThinking(model: GeminiModel, config: GenerationConfig): string | undefined {
  const { thinkingBudget: budget, thinkingLevel: level } = config.thinkingConfig ?? {}
  const { thinking } = model
  if (level !== undefined && budget !== undefined) return 'You can only set only one of thinking budget and thinking level.'
  if (level !== undefined) return thinking.by === 'level' ? undefined : 'Thinking level is not supported for this model.'
  if (budget === undefined || budget === -1) return undefined
  if (budget === 0)
    return thinking.by === 'budget' && thinking.canDisable
      ? undefined
      : 'Budget 0 is invalid. This model only works in thinking mode.'
  const [minimum, maximum] = thinking.by === 'budget' ? [thinking.minimum, thinking.maximum] : [1, 32_768]
  if (budget >= minimum && budget <= maximum) return undefined
  return `The thinking budget ${budget} is invalid. Please choose a value between ${minimum} and ${maximum}.`
}

function findUnsupportedOutput(model: GeminiModel, config: GenerationConfig): string | undefined {
  const modalities = new Set(config.responseModalities ?? (model.imageOutput ? ['TEXT', 'IMAGE'] : ['TEXT']))
  const fits = model.imageOutput
    ? modalities.has('IMAGE') && !modalities.has('AUDIO')
    : modalities.size === 0 || (modalities.size === 1 && modalities.has('TEXT'))
  if (!fits) {
    const combinations = model.imageOutput ? '* IMAGE\n* IMAGE, TEXT\n' : '* TEXT\n'
    return `The requested combination of response modalities (${[...modalities].join(', ')}) is not supported by the model. models/${model.name} accepts the following combination of response modalities:\n${combinations}`
  }
  if (config.speechConfig) return `Speech output is not enabled for models/${model.name}`
  if (!config.imageConfig) return undefined
  if (!model.imageOutput) return `Image generation is not enabled for models/${model.name}`
  const { aspectRatio, imageSize } = config.imageConfig
  if (aspectRatio !== undefined && !aspectRatios.has(aspectRatio))
    return `Aspect ratio ${aspectRatio} is not supported. Supported aspect ratios: ${[...aspectRatios.keys()].join(', ')}.`
  if (imageSize !== undefined && imageSize !== '1K')
    return `Image size ${imageSize} is not supported for models/${model.name}. Supported: 1K.`
  return undefined
}

function findUnsupportedTools(model: GeminiModel, request: GenerateRequest): string | undefined {
  const json = !needsJson(request.generationConfig?.responseMimeType ?? '')
  if (model.imageOutput && json) return `JSON mode is not enabled for models/${model.name}`
  if (declarationsOf(request).length === 0) return undefined
  if (model.imageOutput) return `Function calling is not enabled for models/${model.name}`
  if (json && model.generation === 2)
    return `Function calling with a response mime type: '${request.generationConfig?.responseMimeType}' is unsupported`
  return undefined
}
