import type { PreparedCall, Reply, UpstreamRequest } from '../reply.ts'
import { contentRefused, newRequestId, problemReply } from './detail.ts'
import { parseSpeech, type SpeechDeps, type SpeechRequest } from './parse-speech.ts'
import { synthesize } from './synthesize.ts'

/** `POST /v1/text-to-speech/{voice_id}`. */
export function prepareSpeech(deps: SpeechDeps, request: UpstreamRequest, voiceId: string): PreparedCall {
  const parsed = parseSpeech(deps, request, voiceId)
  return {
    model: parsed.model,
    text: parsed.text,
    answer(mode) {
      if (!parsed.ok) return parsed.reply
      if (mode === 'blocked') return problemReply(contentRefused())
      return speech(parsed.request, mode === 'no-content' ? [] : synthesize(parsed.request))
    },
  }
}

function speech(request: SpeechRequest, audio: readonly Buffer[]): Reply {
  return {
    status: 200,
    headers: {
      'content-type': 'audio/mpeg',
      // The vendor streams: no length is promised.
      'transfer-encoding': 'chunked',
      'request-id': newRequestId(),
      'history-item-id': newRequestId().slice(0, 20),
      // Credits, not characters: this model takes half a credit for each.
      'character-cost': String(Math.ceil([...request.text].length / 2)),
      'current-concurrent-requests': '1',
      'maximum-concurrent-requests': '20',
    },
    body: audio,
  }
}
