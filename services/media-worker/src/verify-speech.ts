import { walkMp3 } from '@turnpike/mp3'
import type { SynthesizedSpeech } from '@turnpike/providers'
import type { Verdict } from './call-and-verify.ts'

/** An MP3 from its first frame to its last, with the duration that is in it. */
export type VerifiedSpeech = SynthesizedSpeech & { durationMs: number }

export function verifySpeech(speech: SynthesizedSpeech): Verdict<VerifiedSpeech> {
  const walk = walkMp3(speech.mp3)
  return walk.ok ? { ok: true, value: { ...speech, durationMs: walk.durationMs } } : walk
}
