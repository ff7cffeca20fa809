import type { PaidEndpoint } from '../models.ts'

/** 144 ms of silence: two frames of MPEG-2.5 at 8 kbit/s and 8 kHz, as short an MP3 as there is. */
const SILENT_FRAME = `/+MYwA${'A'.repeat(90)}`
const SHORT_MP3 = SILENT_FRAME.repeat(2)

/** One request and its answer per paid endpoint: short enough to read, whole enough to be sent as they stand. */
export const EXAMPLES: Record<PaidEndpoint, { request: Record<string, unknown>; response: Record<string, unknown> }> = {
  '/v1/chat/completions': {
    request: {
      model: 'gm-2.5-flash',
      messages: [{ role: 'user', content: 'What is a turnpike? One sentence.' }],
      max_tokens: 200,
    },
    response: {
      id: 'chatcmpl-0f3c1d5e7a9b4c2d8e6f0a1b2c3d4e5f',
      object: 'chat.completion',
      created: 1795250000,
      model: 'gm-2.5-flash',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'A road that you pay to use.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 8,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    },
  },
  '/v1/messages': {
    request: {
      model: 'gm-2.5-flash',
      max_tokens: 200,
      messages: [{ role: 'user', content: 'What is a turnpike? One sentence.' }],
    },
    response: {
      id: 'msg_0f3c1d5e7a9b4c2d8e6f0a1b2c3d4e5f',
      type: 'message',
      role: 'assistant',
      model: 'gm-2.5-flash',
      content: [{ type: 'text', text: 'A road that you pay to use.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 8, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  },
  '/v1/images/generations': {
    request: { model: 'gm-3.1-flash-lite-image', prompt: 'A toll gate at dawn, watercolour' },
    response: {
      created: 1795250000,
      model: 'gm-3.1-flash-lite-image',
      image_size: '1K',
      aspect_ratio: '1:1',
      data: [
        {
          url: 'https://api.example.com/v1/media/AWsx…',
          backed_up: true,
          url_expires_at: '2026-11-28T12:00:00.000Z',
          url_retention_days: 7,
        },
      ],
      price: { amount: '0.035', currency: 'USD' },
    },
  },
  '/v1/audio/speech': {
    request: { model: 'el/flash-v2.5', input: 'The gate is open.', voice: 'darian' },
    response: {
      id: 'speech_0f3c1d5e7a9b4c2d8e6f0a1b2c3d4e5f',
      created: 1795250000,
      model: 'el/flash-v2.5',
      data: [
        {
          url: 'https://api.example.com/v1/media/AWsx…',
          format: 'mp3',
          content_type: 'audio/mpeg',
          bytes: 19227,
          duration_ms: 1201,
          characters: 17,
          expires_at: '2026-11-22T12:00:00.000Z',
          backed_up: true,
        },
      ],
      usage: { input_characters: 17 },
    },
  },
  '/v1/audio/transcriptions': {
    request: { model: 'el/scribe-v2', audio_base64: SHORT_MP3, language: 'en' },
    response: {
      id: 'transcription_0f3c1d5e7a9b4c2d8e6f0a1b2c3d4e5f',
      created: 1795250000,
      model: 'el/scribe-v2',
      text: 'The gate is open.',
      language: 'en',
      language_probability_millionths: 980000,
      usage: { input_audio_ms: 1201 },
    },
  },
}
