import type { VoiceAlias } from '@turnpike/contracts'

/** What a client may know of a voice. Which upstream voice stands behind it is operator configuration, and should fit its description. */
export type VoiceData = { id: VoiceAlias; name: string; description: string; retirementDate: string | null }

// What the speech model speaks, with every voice (ISO 639).
export const VOICE_LANGUAGES: readonly string[] =
  'ar bg cs da de el en es fi fil fr hi hr hu id it ja ko ms nl no pl pt ro ru sk sv ta tr uk vi zh'.split(' ')

/** The vendor of the speech models, as their identifiers name it. */
export const VOICE_PROVIDER = 'el'

/** In the interface's order. */
export const VOICES: readonly VoiceData[] = [
  voice('darian', 'Calm and even, a narrator for long texts.'),
  voice('talia', 'Bright and friendly, for guides and greetings.'),
  voice('elara', 'Soft and clear, for stories and meditation.'),
  voice('baxter', 'Deep and steady, for documentaries.'),
  voice('eldrin', 'Old and weathered, for tales.'),
  voice('kellan', 'Young and relaxed, for conversation.'),
  voice('elowen', 'Gentle and warm, for lessons.'),
  voice('kaelen', 'Crisp and quick, for news and announcements.'),
  voice('lawrence', 'Measured and formal, for lectures.'),
  voice('alicia', 'Confident and modern, for presentations.'),
  voice('maisie', 'Light and playful, for children.'),
  voice('warren', 'Low and rough, for trailers and characters.'),
  voice('jade', 'Smooth and close, for podcasts.'),
  voice('eddie', 'Lively and upbeat, for advertising.'),
  voice('caleb', 'Plain and trustworthy, for support calls.'),
  voice('sawyer', 'Easy-going, with a smile, for social media.'),
  voice('finley', 'Curious and bright, for explanations.'),
  voice('florence', 'Elegant and composed, for audiobooks.'),
  voice('wyatt', 'Firm and dry, for instructions.'),
  voice('bella', 'Expressive and tender, for dialogue.'),
]

function voice(id: VoiceAlias, description: string): VoiceData {
  return { id, name: `${id.charAt(0).toUpperCase()}${id.slice(1)}`, description, retirementDate: null }
}
