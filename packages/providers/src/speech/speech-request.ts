import type { CallLimits, ProviderOutcome } from '../provider-outcome.ts'

/** `voice` is the public alias; `speed` 1 is the voice's own. */
export type SpeechRequest = { text: string; voice: string; speed: number }

/** `mp3` as the upstream sent it, not looked at. `characterCost` in the upstream's own unit, where it told one. */
export type SynthesizedSpeech = { mp3: Buffer; characterCost?: number }

export type SpeechUpstream = {
  /** One text at one target (the upstream's own model name). Never throws for what a provider or a network can do. */
  speak(target: string, request: SpeechRequest, limits: CallLimits): Promise<ProviderOutcome<SynthesizedSpeech>>
  close(): Promise<void>
}
