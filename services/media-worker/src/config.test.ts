import { VOICE_ALIASES } from '@turnpike/contracts'
import { loadConfig } from '@turnpike/service'
import { expect, it } from 'vitest'
import { checkMediaConfig, MEDIA_WORKER_CONFIG } from './config.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const voices = Object.fromEntries(VOICE_ALIASES.map((alias, index) => [alias, `voice${index}`]))
const ENV = {
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: '127.0.0.1:9092',
  REDIS_URL: 'redis://127.0.0.1:6379',
  CONTENT_KEYS: `k1:${KEY}`,
  S3_BUCKET: 'turnpike',
  PUBLIC_BASE_URL: 'https://api.example/',
  MEDIA_CAPABILITY_KEYS: `m1:${KEY}`,
  GEMINI_API_KEY: 'key',
  ELEVENLABS_API_KEY: 'key',
  IMAGE_ROUTES: '{"gm-3.1-flash-lite-image":["gemini-3.1-flash-lite-image"]}',
  SPEECH_ROUTES: '{"el/flash-v2.5":["eleven_flash_v2_5"]}',
  VOICES: JSON.stringify(voices),
}
const load = (env: Record<string, string> = {}) =>
  checkMediaConfig('media-worker', loadConfig('media-worker', MEDIA_WORKER_CONFIG, { ...ENV, ...env }))

it('reads routes and voices, and seals media unless it is told otherwise', () => {
  const config = load()
  expect(config.imageRoutes.get('gm-3.1-flash-lite-image')).toEqual(['gemini-3.1-flash-lite-image'])
  expect(config.speechRoutes.get('el/flash-v2.5')).toEqual(['eleven_flash_v2_5'])
  expect(config.voices.get('darian')).toBe('voice0')
  expect([config.mediaAtRest, config.publicBaseUrl]).toEqual(['sealed', 'https://api.example'])
})

it('may serve one kind of media only', () => {
  expect(load({ SPEECH_ROUTES: '', VOICES: '', ELEVENLABS_API_KEY: '' }).speechRoutes.size).toBe(0)
  expect(load({ IMAGE_ROUTES: '', GEMINI_API_KEY: '' }).imageRoutes.size).toBe(0)
})

it.each<[Record<string, string>, string]>([
  [{ IMAGE_ROUTES: '{"gm-2.5-flash":["x"]}' }, '"gm-2.5-flash" is not an image model'],
  [{ SPEECH_ROUTES: '{"gm-3.1-flash-lite-image":["x"]}' }, '"gm-3.1-flash-lite-image" is not a speech model'],
  [{ IMAGE_ROUTES: '{"gm-3.1-flash-lite-image":[]}' }, 'must have a list of targets'],
  [{ SPEECH_ROUTES: '{"el/flash-v2.5":["a/../b"]}' }, 'a target that is not a model name'],
  [{ VOICES: '{"alice":"x"}' }, '"alice" is not a voice'],
  [{ VOICES: '{"darian":"../x"}' }, 'darian has no voice id'],
  [{ VOICES: '{"darian":"voice0"}' }, 'VOICES has no voice for talia, elara'],
  [{ GEMINI_API_KEY: '' }, 'GEMINI_API_KEY is not set, and IMAGE_ROUTES needs it'],
  [{ ELEVENLABS_API_KEY: '' }, 'ELEVENLABS_API_KEY is not set, and SPEECH_ROUTES needs it'],
  [{ IMAGE_ROUTES: '', SPEECH_ROUTES: '' }, 'there is nothing to do'],
  [{ PUBLIC_BASE_URL: 'ftp://x' }, 'PUBLIC_BASE_URL must begin with'],
])('says what is wrong with %j', (env, problem) => {
  expect(() => load(env)).toThrow(problem)
})
