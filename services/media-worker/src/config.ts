import { isImageModel, isSpeechModel, VOICE_ALIASES } from '@turnpike/contracts'
import { openKeyring } from '@turnpike/sealing'
import { type Config, ConfigError, integer, json, oneOf, optional, parsedBy, secret, url } from '@turnpike/service'
import { WORKER_CONFIG } from '@turnpike/worker'

/** Upstream targets by public model, in order of preference. */
export type RouteTable = ReadonlyMap<string, readonly string[]>
const NO_ROUTES: RouteTable = new Map()

/** The one place that names this service's environment variables. */
export const MEDIA_WORKER_CONFIG = {
  ...WORKER_CONFIG,
  /** As for every worker, but an image takes longer than text, and one that is left behind is paid to the provider twice. */
  drainGraceMs: integer('DRAIN_GRACE_MS', { default: 30_000, max: 900_000 }),
  /** Where clients reach the gateway: hosted files are named under it. */
  publicBaseUrl: url('PUBLIC_BASE_URL', { protocols: ['http:', 'https:'] }),
  mediaCapabilityKeys: parsedBy('MEDIA_CAPABILITY_KEYS', openKeyring),
  /** `plain` is for operators whose store or CDN hands the files out itself. */
  mediaAtRest: oneOf('MEDIA_AT_REST', ['sealed', 'plain'], { default: 'sealed' }),
  geminiBaseUrl: url('GEMINI_BASE_URL', { default: 'https://generativelanguage.googleapis.com' }),
  geminiApiKey: optional(secret('GEMINI_API_KEY')),
  elevenlabsBaseUrl: url('ELEVENLABS_BASE_URL', { default: 'https://api.elevenlabs.io' }),
  elevenlabsApiKey: optional(secret('ELEVENLABS_API_KEY')),
  imageRoutes: json('IMAGE_ROUTES', (value) => parseRoutes(value, isImageModel, 'an image model'), { default: NO_ROUTES }),
  speechRoutes: json('SPEECH_ROUTES', (value) => parseRoutes(value, isSpeechModel, 'a speech model'), { default: NO_ROUTES }),
  /** The upstream's voice ids by public alias. They stand nowhere else. */
  voices: json('VOICES', parseVoices, { default: new Map() }),
}
export type MediaWorkerConfig = Config<typeof MEDIA_WORKER_CONFIG>

/** What no variable shows by itself. Throws ConfigError. */
export function checkMediaConfig(service: string, config: MediaWorkerConfig): MediaWorkerConfig {
  const { imageRoutes, speechRoutes, voices, geminiApiKey, elevenlabsApiKey } = config
  const missing = VOICE_ALIASES.filter((alias) => !voices.has(alias))
  const problems = [
    imageRoutes.size + speechRoutes.size === 0 && 'IMAGE_ROUTES and SPEECH_ROUTES are not set: there is nothing to do',
    imageRoutes.size > 0 && geminiApiKey === undefined && 'GEMINI_API_KEY is not set, and IMAGE_ROUTES needs it',
    speechRoutes.size > 0 && elevenlabsApiKey === undefined && 'ELEVENLABS_API_KEY is not set, and SPEECH_ROUTES needs it',
    speechRoutes.size > 0 && missing.length > 0 && `VOICES has no voice for ${missing.join(', ')}`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) throw new ConfigError(service, problems)
  return config
}

function parseRoutes(value: unknown, isModel: (model: string) => boolean, kind: string): RouteTable {
  const routes = new Map<string, readonly string[]>()
  for (const [model, targets] of Object.entries(objectOf(value))) {
    if (!isModel(model)) throw new Error(`${JSON.stringify(model.slice(0, 64))} is not ${kind}`)
    if (!Array.isArray(targets) || targets.length === 0) throw new Error(`${model} must have a list of targets`)
    if (!targets.every((target): target is string => typeof target === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(target))) {
      throw new Error(`${model} has a target that is not a model name`)
    }
    routes.set(model, targets)
  }
  return routes
}

function parseVoices(value: unknown): ReadonlyMap<string, string> {
  const voices = new Map<string, string>()
  for (const [alias, id] of Object.entries(objectOf(value))) {
    if (!VOICE_ALIASES.some((known) => known === alias)) throw new Error(`${JSON.stringify(alias.slice(0, 64))} is not a voice`)
    if (typeof id !== 'string' || !/^[A-Za-z0-9]{1,64}$/.test(id)) throw new Error(`${alias} has no voice id`)
    voices.set(alias, id)
  }
  return voices
}

function objectOf(value: unknown): object {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('it must be an object')
  return value
}
