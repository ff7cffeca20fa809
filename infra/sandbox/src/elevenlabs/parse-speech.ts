import type { Reply, UpstreamRequest } from '../reply.ts'
import {
  type FieldProblem,
  invalidParameter,
  missingField,
  notOneOf,
  outOfRange,
  type Problem,
  problemReply,
  validationReply,
} from './detail.ts'
import { type Mp3Format, mp3Formats } from './synthesize.ts'

export interface SpeechDeps {
  voices: ReadonlySet<string> | undefined
}

export interface SpeechRequest {
  text: string
  speed: number
  format: Mp3Format
}

export type ParsedSpeech = { model: string; text: string } & ({ ok: true; request: SpeechRequest } | { ok: false; reply: Reply })

/** Every name that the wire knows; the sandbox's account has the MP3 ones up to 128 kbps. */
const outputFormats = [
  ...['mp3_22050_32', 'mp3_24000_48', 'mp3_44100_32', 'mp3_44100_64', 'mp3_44100_96', 'mp3_44100_128', 'mp3_44100_192'],
  ...['pcm_8000', 'pcm_16000', 'pcm_22050', 'pcm_24000', 'pcm_32000', 'pcm_44100', 'pcm_48000', 'ulaw_8000', 'alaw_8000'],
  ...['opus_48000_32', 'opus_48000_64', 'opus_48000_96', 'opus_48000_128', 'opus_48000_192'],
]
const defaultModel = 'eleven_multilingual_v2'
const maxCharactersByModel = new Map([
  ['eleven_flash_v2_5', 40_000],
  ['eleven_turbo_v2_5', 40_000],
  ['eleven_flash_v2', 30_000],
  ['eleven_multilingual_v2', 10_000],
])
const languages = new Set(
  'en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru hu no vi'.split(' '),
)
const voiceSettingRanges = { stability: [0, 1], similarity_boost: [0, 1], style: [0, 1], speed: [0.7, 1.2] } as const
const voiceIdForm = /^[A-Za-z0-9]{20}$/

export function parseSpeech(deps: SpeechDeps, request: UpstreamRequest, voiceId: string): ParsedSpeech {
  const body = parseBody(request.body)
  const model = typeof body?.model_id === 'string' ? body.model_id : defaultModel
  const text = typeof body?.text === 'string' ? body.text : ''
  if (!body) return { ok: false, model, text, reply: validationReply([notJson(request.body)]) }
  const formatName = request.query.get('output_format') ?? 'mp3_44100_128'
  const fieldProblems = findFieldProblems(body, request.query, formatName)
  if (fieldProblems.length > 0) return { ok: false, model, text, reply: validationReply(fieldProblems) }
  const settings = isRecord(body.voice_settings) ? body.voice_settings : {}
  const format = mp3Formats.get(formatName)
  const problem = findProblem(deps, { voiceId, model, text, settings, body, query: request.query })
  if (problem) return { ok: false, model, text, reply: problemReply(problem) }
  if (!format) return { ok: false, model, text, reply: problemReply(formatNotAllowed(formatName)) }
  return { ok: true, model, text, request: { text, speed: typeof settings.speed === 'number' ? settings.speed : 1, format } }
}

function parseBody(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function notJson(body: Buffer): FieldProblem {
  if (body.length === 0) return { type: 'missing', loc: ['body'], msg: 'Field required', input: null }
  return { type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error', input: {}, ctx: { error: 'Expecting value' } }
}

/** What the framework checks before the vendor's own code runs; unknown members are ignored, as there. */
function findFieldProblems(body: Record<string, unknown>, query: URLSearchParams, formatName: string): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (body.text === undefined) problems.push(missingField('body', 'text'))
  for (const name of ['text', 'model_id', 'language_code', 'previous_text', 'next_text']) {
    const value = body[name]
    if (value !== undefined && !(value === null && name !== 'text') && typeof value !== 'string')
      problems.push({ type: 'string_type', loc: ['body', name], msg: 'Input should be a valid string', input: value })
  }
  if (body.seed !== undefined && body.seed !== null) {
    const range = { minimum: 0, maximum: 4_294_967_295 }
    if (typeof body.seed !== 'number' || !Number.isInteger(body.seed))
      problems.push({ type: 'int_type', loc: ['body', 'seed'], msg: 'Input should be a valid integer', input: body.seed })
    else problems.push(...[outOfRange('body', 'seed', range, body.seed)].filter((problem) => problem !== undefined))
  }
  const normalization = body.apply_text_normalization
  if (normalization !== undefined && !['auto', 'on', 'off'].includes(String(normalization)))
    problems.push(notOneOf('body', 'apply_text_normalization', ['auto', 'on', 'off'], normalization))
  if (body.voice_settings !== undefined && body.voice_settings !== null)
    problems.push(...findSettingsProblems(body.voice_settings))
  if (!outputFormats.includes(formatName)) problems.push(notOneOf('query', 'output_format', outputFormats, formatName))
  const latency = query.get('optimize_streaming_latency')
  if (latency !== null && !/^[0-4]$/.test(latency))
    problems.push(notOneOf('query', 'optimize_streaming_latency', ['0', '1', '2', '3', '4'], latency))
  return problems
}

function findSettingsProblems(settings: unknown): FieldProblem[] {
  if (!isRecord(settings))
    return [
      {
        type: 'model_attributes_type',
        loc: ['body', 'voice_settings'],
        msg: 'Input should be a valid dictionary',
        input: settings,
      },
    ]
  const problems: FieldProblem[] = []
  for (const name of Object.keys(voiceSettingRanges)) {
    const value = settings[name]
    if (value !== undefined && value !== null && typeof value !== 'number')
      problems.push({
        type: 'float_type',
        loc: ['body', 'voice_settings', name],
        msg: 'Input should be a valid number',
        input: value,
      })
  }
  const boost = settings.use_speaker_boost
  if (boost !== undefined && boost !== null && typeof boost !== 'boolean')
    problems.push({
      type: 'bool_type',
      loc: ['body', 'voice_settings', 'use_speaker_boost'],
      msg: 'Input should be a valid boolean',
      input: boost,
    })
  return problems
}

interface SpeechFacts {
  voiceId: string
  model: string
  text: string
  settings: Record<string, unknown>
  body: Record<string, unknown>
  query: URLSearchParams
}

function findProblem(deps: SpeechDeps, facts: SpeechFacts): Problem | undefined {
  const { voiceId, model, text } = facts
  if (facts.query.get('enable_logging') === 'false') return enterpriseOnly
  const maxCharacters = maxCharactersByModel.get(model)
  if (maxCharacters === undefined)
    return {
      httpStatus: 400,
      type: 'validation_error',
      code: 'model_not_found',
      message: `A model with model ID ${model} does not exist.`,
      param: 'model_id',
    }
  if (deps.voices ? !deps.voices.has(voiceId) : !voiceIdForm.test(voiceId))
    return {
      httpStatus: 400,
      type: 'not_found',
      code: 'voice_not_found',
      message: `A voice with the voice_id ${voiceId} was not found.`,
      param: 'voice_id',
    }
  if (text.trim() === '')
    return {
      httpStatus: 400,
      type: 'validation_error',
      code: 'input_text_empty',
      message: 'Input text must not be empty.',
      param: 'text',
    }
  const characters = [...text].length
  if (characters > maxCharacters)
    return {
      httpStatus: 400,
      type: 'validation_error',
      code: 'max_character_limit_exceeded',
      message: `This request's text has ${characters} characters and exceeds the character limit of ${maxCharacters} characters.`,
      param: 'text',
    }
  for (const [name, [minimum, maximum]] of Object.entries(voiceSettingRanges)) {
    const value = facts.settings[name]
    if (typeof value === 'number' && (value < minimum || value > maximum)) return invalidSetting(name, minimum, maximum, value)
  }
  const language = facts.body.language_code
  if (typeof language === 'string' && !languages.has(language))
    return invalidParameter('language_code', `Model '${model}' does not support the language_code '${language}'.`)
  return undefined
}

export const enterpriseOnly: Problem = {
  httpStatus: 403,
  type: 'authorization_error',
  code: 'zero_retention_not_allowed',
  message: 'Zero retention mode (enable_logging=false) may only be used by enterprise customers.',
  param: 'enable_logging',
}

function invalidSetting(name: string, minimum: number, maximum: number, value: number): Problem {
  return {
    httpStatus: 400,
    type: 'validation_error',
    code: 'invalid_voice_settings',
    message: `Invalid setting for ${name} received, expected to be greater or equal to ${minimum} and less or equal to ${maximum}, received ${value}`,
    param: `voice_settings.${name}`,
  }
}

function formatNotAllowed(name: string): Problem {
  return {
    httpStatus: 403,
    type: 'authorization_error',
    code: 'output_format_not_allowed',
    message: `The output_format '${name}' is not available on this account. Available: ${[...mp3Formats.keys()].join(', ')}.`,
    param: 'output_format',
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
