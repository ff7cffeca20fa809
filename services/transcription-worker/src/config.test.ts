import { loadConfig } from '@turnpike/service'
import { expect, it } from 'vitest'
import { checkTranscriptionConfig, TRANSCRIPTION_WORKER_CONFIG } from './config.ts'

const KEY = Buffer.alloc(32, 1).toString('base64')
const ENV = {
  INTERNAL_PORT: '0',
  KAFKA_BROKERS: '127.0.0.1:9092',
  REDIS_URL: 'redis://127.0.0.1:6379',
  CONTENT_KEYS: `k1:${KEY}`,
  S3_BUCKET: 'turnpike',
  STAGING_KEYS: `s1:${KEY}`,
  ELEVENLABS_API_KEY: 'key',
  TRANSCRIPTION_ROUTES: '{"el/scribe-v2":["scribe_v2"]}',
}
const load = (env: Record<string, string> = {}) =>
  checkTranscriptionConfig(
    'transcription-worker',
    loadConfig('transcription-worker', TRANSCRIPTION_WORKER_CONFIG, { ...ENV, ...env }),
  )

it('reads routes and wrapping keys, and runs as many jobs as fit into memory', () => {
  const config = load()
  expect(config.transcriptionRoutes.get('el/scribe-v2')).toEqual(['scribe_v2'])
  expect([config.stagingKeys?.activeId, config.stagingKmsKeys, config.concurrency]).toEqual(['s1', [], 16])
})

it('takes keys of AWS KMS instead of local ones', () => {
  const arn = 'arn:aws:kms:eu-central-1:111122223333:key/1'
  expect(load({ STAGING_KEYS: '', STAGING_KMS_KEYS: arn })).toMatchObject({ stagingKeys: undefined, stagingKmsKeys: [arn] })
})

it.each<[Record<string, string>, string]>([
  [{ STAGING_KEYS: '' }, 'STAGING_KEYS or STAGING_KMS_KEYS must be set'],
  [{ ELEVENLABS_API_KEY: '' }, 'ELEVENLABS_API_KEY is not set'],
  [{ TRANSCRIPTION_ROUTES: '' }, 'TRANSCRIPTION_ROUTES is not set'],
  [{ TRANSCRIPTION_ROUTES: '{}' }, 'at least one model'],
  [{ TRANSCRIPTION_ROUTES: '{"el/flash-v2.5":["x"]}' }, '"el/flash-v2.5" is not a transcription model'],
  [{ TRANSCRIPTION_ROUTES: '{"el/scribe-v2":[]}' }, 'must have a list of targets'],
  [{ TRANSCRIPTION_ROUTES: '{"el/scribe-v2":["a/../b"]}' }, 'a target that is not a model name'],
])('says what is wrong with %j', (env, problem) => {
  expect(() => load(env)).toThrow(problem)
})
