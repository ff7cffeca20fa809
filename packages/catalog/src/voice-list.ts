import type { Model } from '@turnpike/contracts'
import { SPEECH } from './models.ts'
import { VOICE_LANGUAGES, VOICE_PROVIDER, VOICES } from './voices.ts'

/** Response of GET /v1/audio/voices for those speech models that are offered; without one there is nothing to speak with. */
export function voiceList(speechModels: readonly Model[]): object {
  return {
    object: 'list',
    defaults: Object.fromEntries(speechModels.map((model) => [model, SPEECH.defaultVoice])),
    data: (speechModels.length === 0 ? [] : VOICES).map(({ id, name, description, retirementDate }) => ({
      id,
      name,
      description,
      provider: VOICE_PROVIDER,
      languages: VOICE_LANGUAGES,
      models: speechModels,
      default_for_models: id === SPEECH.defaultVoice ? speechModels : [],
      retirement_date: retirementDate,
    })),
  }
}
