import { SPEECH } from '@turnpike/catalog'
import { countCharacters, type EffectiveSpeechRequest } from '@turnpike/contracts'
import type { JobUsage } from '@turnpike/worker'
import type { HostedResult } from './host-result.ts'

const HOUR_MS = 3_600_000
export const SPEECH_RETENTION_MS = SPEECH.retentionHours * HOUR_MS

/** The body exactly as the client will get it, a replay of it included. */
export function speechResponse(
  id: string,
  { model, input }: EffectiveSpeechRequest,
  { bytes, durationMs, url, expiresAtMs }: HostedResult & { bytes: number; durationMs: number },
): Record<string, unknown> {
  const characters = countCharacters(input)
  return {
    id,
    created: Math.floor((expiresAtMs - SPEECH_RETENTION_MS) / 1000),
    model,
    data: [
      {
        url,
        format: 'mp3',
        content_type: 'audio/mpeg',
        bytes,
        duration_ms: durationMs,
        characters,
        expires_at: new Date(expiresAtMs).toISOString(),
        backed_up: true,
      },
    ],
    usage: { input_characters: characters },
  }
}

/** As it stands on the receipt: the provider counts in a unit of its own. */
export function speechUsage({ input }: EffectiveSpeechRequest, characterCost: number | undefined): JobUsage {
  return {
    input_characters: countCharacters(input),
    ...(characterCost === undefined ? {} : { character_cost: characterCost }),
  }
}
