import type { CallLimits, ProviderOutcome } from '../provider-outcome.ts'
import type { TokenUsage } from '../text/text-completion.ts'

/** One image from a prompt, in the price tier and shape that were sold. */
export type ImageRequest = { prompt: string; imageSize: '1K'; aspectRatio: '1:1' }

/** The file as the upstream sent it: not looked at, so neither its type nor its size is known to be what was asked for. */
export type GeneratedImage = { bytes: Buffer; usage: TokenUsage }

export type ImageUpstream = {
  /** One image at one target (the upstream's own model name). Never throws for what a provider or a network can do. */
  draw(target: string, request: ImageRequest, limits: CallLimits): Promise<ProviderOutcome<GeneratedImage>>
  close(): Promise<void>
}
