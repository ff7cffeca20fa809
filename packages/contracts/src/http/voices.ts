/** The twenty voice aliases, in the interface's order. Which upstream voice stands behind one is operator configuration. */
export const VOICE_ALIASES = [
  'darian',
  'talia',
  'elara',
  'baxter',
  'eldrin',
  'kellan',
  'elowen',
  'kaelen',
  'lawrence',
  'alicia',
  'maisie',
  'warren',
  'jade',
  'eddie',
  'caleb',
  'sawyer',
  'finley',
  'florence',
  'wyatt',
  'bella',
] as const
export type VoiceAlias = (typeof VOICE_ALIASES)[number]

export const DEFAULT_VOICE: VoiceAlias = 'darian'
