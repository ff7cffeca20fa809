import type { GeneratedImage } from '../../image/image-request.ts'
import type { ProviderOutcome } from '../../provider-outcome.ts'
import { ambiguous, blocked, unusable } from '../exchange-outcome.ts'
import { type ImagePart, parseImageResponse } from './image-wire.ts'
import { readUsage } from './read-response.ts'

/** Stops that say: not this picture. All of them come as a 200. */
const REFUSALS = new Set([
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'IMAGE_OTHER', 'NO_IMAGE'],
])
const FINISHED = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED'])

/** What a whole 200 says. Every branch of it was executed; a refusal in it is about the prompt and not ours to repeat. */
export function readImage(body: Buffer): ProviderOutcome<GeneratedImage> {
  const response = parseImageResponse(body)
  // Not this API's answer: a proxy's page, a cut document.
  if (response === undefined) return ambiguous('invalid_body')
  const blockReason = response.promptFeedback?.blockReason
  if (blockReason !== undefined && blockReason !== 'BLOCK_REASON_UNSPECIFIED') return blocked()
  const [candidate] = response.candidates ?? []
  if (candidate === undefined) return unusable('no_content')
  const finishReason = candidate.finishReason ?? 'STOP'
  if (REFUSALS.has(finishReason)) return blocked()

  // Sketches of a thinking model are images too.
  const visible = (candidate.content?.parts ?? []).filter((part) => part.thought !== true)
  const image = visible.find(isImage)
  if (image?.inlineData !== undefined) {
    const bytes = Buffer.from(image.inlineData.data, 'base64')
    if (bytes.length === 0) return unusable('no_content')
    return { kind: 'succeeded', value: { bytes, usage: readUsage(response.usageMetadata) } }
  }
  if (!FINISHED.has(finishReason)) return unusable('unusable_stop')
  // Words instead of a picture are how the model declines.
  return visible.some(({ text }) => text !== undefined && text.trim() !== '') ? blocked() : unusable('no_content')
}

function isImage({ inlineData }: ImagePart): boolean {
  return inlineData !== undefined && (inlineData.mimeType ?? 'image/').startsWith('image/')
}
