import { expect, it } from 'vitest'
import { IMAGE_RETENTION_MS, imageResponse } from './image-response.ts'
import { SPEECH_RETENTION_MS, speechResponse, speechUsage } from './speech-response.ts'

const CREATED_MS = Date.parse('2026-11-21T10:00:00.250Z')
const url = 'https://api.example/v1/media/abc'
const image = { model: 'gm-3.1-flash-lite-image', prompt: 'a fox', n: 1, image_size: '1K', aspect_ratio: '1:1' } as const
const job = { model: image.model, amountAtomic: '35000' }

it('an image is answered with its URL, its exact expiry seven days on, and its price', () => {
  const hosted = { bytes: Buffer.from('png'), url, expiresAtMs: CREATED_MS + IMAGE_RETENTION_MS }
  const body = imageResponse(job, { ...image, response_format: 'url' }, hosted)
  expect(body).toEqual({
    created: 1_795_255_200,
    model: 'gm-3.1-flash-lite-image',
    image_size: '1K',
    aspect_ratio: '1:1',
    data: [{ url, backed_up: true, url_expires_at: '2026-11-28T10:00:00.250Z', url_retention_days: 7 }],
    price: { amount: '0.035', currency: 'USD' },
  })
  expect(imageResponse(job, { ...image, response_format: 'b64_json' }, hosted)).toEqual({
    ...body,
    data: [{ ...(body.data as object[])[0], b64_json: 'cG5n' }],
  })
})

it('speech is answered with its URL, its exact expiry a day on, and what was measured', () => {
  const request = { model: 'el/flash-v2.5', input: 'Hé 👋', voice: 'darian', response_format: 'mp3', speed: 1 } as const
  const hosted = { bytes: 4_180, durationMs: 261, url, expiresAtMs: CREATED_MS + SPEECH_RETENTION_MS }
  expect(speechResponse('speech-1', request, hosted)).toEqual({
    id: 'speech-1',
    created: 1_795_255_200,
    model: 'el/flash-v2.5',
    data: [
      {
        url,
        format: 'mp3',
        content_type: 'audio/mpeg',
        bytes: 4_180,
        duration_ms: 261,
        characters: 4,
        expires_at: '2026-11-22T10:00:00.250Z',
        backed_up: true,
      },
    ],
    usage: { input_characters: 4 },
  })
  expect(speechUsage(request, 2)).toEqual({ input_characters: 4, character_cost: 2 })
  expect(speechUsage(request, undefined)).toEqual({ input_characters: 4 })
})
