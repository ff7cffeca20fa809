import { type FieldProblem, invalidParameter, missingField, notOneOf, outOfRange, type Problem } from './detail.ts'
import { enterpriseOnly } from './parse-speech.ts'
import type { Multipart } from './read-multipart.ts'

export interface TranscriptionOptions {
  languageCode: string | undefined
  tagAudioEvents: boolean
  speakers: number | undefined
  granularity: 'none' | 'word' | 'character'
  diarize: boolean
  rawPcm: boolean
}

export type ParsedTranscription =
  | { kind: 'accepted'; options: TranscriptionOptions; audio: Buffer }
  | { kind: 'fields'; problems: FieldProblem[] }
  | { kind: 'problem'; problem: Problem }

const models = ['scribe_v1', 'scribe_v2']
const granularities = ['none', 'word', 'character'] as const
const fileFormats = ['pcm_s16le_16', 'other']
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  '0': false,
  no: false,
  off: false,
}
const maxKeyterms = 1_000
const maxKeytermCharacters = 50

/** The rules of the multipart fields; unknown ones are ignored, as on the real wire. */
export function parseTranscription({ fields, file }: Multipart, query: URLSearchParams): ParsedTranscription {
  const problems: FieldProblem[] = []
  const text = (name: string): string | undefined => fields.get(name)?.[0]
  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name)
    const read = value === undefined ? fallback : booleans[value.toLowerCase()]
    if (read !== undefined) return read
    problems.push({
      type: 'bool_parsing',
      loc: ['body', name],
      msg: 'Input should be a valid boolean, unable to interpret input',
      input: value,
    })
    return fallback
  }
  const number = (name: string, range: { minimum: number; maximum: number }, integer: boolean): number | undefined => {
    const value = text(name)
    if (value === undefined) return undefined
    const read = value.trim() === '' ? Number.NaN : Number(value)
    const kind = integer ? 'integer' : 'number'
    if (Number.isNaN(read) || (integer && !Number.isInteger(read))) {
      const msg = `Input should be a valid ${kind}, unable to parse string as ${integer ? 'an integer' : 'a number'}`
      problems.push({ type: integer ? 'int_parsing' : 'float_parsing', loc: ['body', name], msg, input: value })
      return undefined
    }
    const problem = outOfRange('body', name, range, read)
    if (problem) problems.push(problem)
    return read
  }
  const model = text('model_id')
  if (model === undefined) problems.push(missingField('body', 'model_id'))
  const granularityText = text('timestamps_granularity') ?? 'word'
  const granularity = granularities.find((name) => name === granularityText)
  if (!granularity) problems.push(notOneOf('body', 'timestamps_granularity', granularities, granularityText))
  const fileFormat = text('file_format') ?? 'other'
  if (!fileFormats.includes(fileFormat)) problems.push(notOneOf('body', 'file_format', fileFormats, fileFormat))
  const options: TranscriptionOptions = {
    languageCode: text('language_code') || undefined,
    tagAudioEvents: flag('tag_audio_events', true),
    speakers: number('num_speakers', { minimum: 1, maximum: 32 }, true),
    granularity: granularity ?? 'word',
    diarize: flag('diarize', false),
    rawPcm: fileFormat === 'pcm_s16le_16',
  }
  const extras: Extras = {
    model: model ?? '',
    webhook: flag('webhook', false),
    multiChannel: flag('use_multi_channel', false),
    noVerbatim: flag('no_verbatim', false),
    diarizationThreshold: number('diarization_threshold', { minimum: 0.1, maximum: 0.4 }, false),
    keyterms: fields.get('keyterms') ?? [],
    url: text('cloud_storage_url') ?? text('source_url'),
  }
  number('temperature', { minimum: 0, maximum: 2 }, false)
  number('seed', { minimum: 0, maximum: 2_147_483_647 }, true)
  if (problems.length > 0) return { kind: 'fields', problems }
  const problem = query.get('enable_logging') === 'false' ? enterpriseOnly : findProblem(options, extras, file)
  if (problem) return { kind: 'problem', problem }
  return { kind: 'accepted', options, audio: file ?? Buffer.alloc(0) }
}

interface Extras {
  model: string
  webhook: boolean
  multiChannel: boolean
  noVerbatim: boolean
  diarizationThreshold: number | undefined
  keyterms: readonly string[]
  url: string | undefined
}

function findProblem(options: TranscriptionOptions, extras: Extras, file: Buffer | undefined): Problem | undefined {
  const { model, keyterms } = extras
  if (!models.includes(model))
    return {
      httpStatus: 400,
      type: 'validation_error',
      code: 'invalid_model_id',
      message: `'${model}' is not a valid model_id. Only 'scribe_v1' and 'scribe_v2' are currently available.`,
      param: 'model_id',
    }
  if ((file === undefined) === (extras.url === undefined))
    return invalidParameter('file', 'Exactly one of the file or cloud_storage_url parameters must be provided.')
  if (file === undefined) return invalidParameter('cloud_storage_url', 'The file could not be downloaded from the provided URL.')
  if (model !== 'scribe_v2' && keyterms.length > 0)
    return invalidParameter(
      'keyterms',
      `The 'keyterms' parameter is only supported with the 'scribe_v2' model. You specified '${model}'.`,
    )
  if (model !== 'scribe_v2' && extras.noVerbatim)
    return invalidParameter(
      'no_verbatim',
      `The 'no_verbatim' parameter is only supported with the 'scribe_v2' model. You specified '${model}'.`,
    )
  if (keyterms.length > maxKeyterms) return invalidParameter('keyterms', `The number of keyterms cannot exceed ${maxKeyterms}.`)
  if (keyterms.some((term) => [...term].length >= maxKeytermCharacters))
    return invalidParameter('keyterms', `The length of each keyterm must be less than ${maxKeytermCharacters} characters.`)
  if (extras.diarizationThreshold !== undefined && !(options.diarize && options.speakers === undefined))
    return invalidParameter(
      'diarization_threshold',
      'diarization_threshold can only be set when diarize=True and num_speakers=None.',
    )
  if (options.languageCode !== undefined && !/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/i.test(options.languageCode))
    return invalidParameter(
      'language_code',
      `The language_code '${options.languageCode}' is not a valid ISO-639-1 or ISO-639-3 code.`,
    )
  // Real features whose answers have another shape: a plain refusal is better than an invented one.
  if (extras.multiChannel) return invalidParameter('use_multi_channel', 'The sandbox transcribes a single channel.')
  if (extras.webhook) return invalidParameter('webhook', 'No speech-to-text webhooks are configured for this workspace.')
  return undefined
}
