import { createHash } from 'node:crypto'
import type { AnswerMode, Reply } from '../reply.ts'
import { countTokens } from './count-tokens.ts'
import { drawImage } from './draw-image.ts'
import { blocked, candidate, type Draft, noContent, thoughtParts } from './generate.ts'
import { lastUserText } from './request.ts'
import { aspectRatios } from './size-image.ts'
import { signThought } from './thought-signature.ts'

/** What a 1K image costs in output tokens. */
const imageTokens = 1_120
/** Replaced by the image after the rest of the answer is serialised, so that the shared base64 is never copied. */
const placeholder = '@image@'

export async function generateImage(draft: Draft, mode: AnswerMode): Promise<Reply> {
  const { thoughts } = draft
  if (mode === 'blocked') return blocked(draft)
  if (mode === 'no-content') return noContent(draft, 'NO_IMAGE', { text: 0, image: 0, thoughts })
  const config = draft.request.generationConfig ?? {}
  const modalities = config.responseModalities ?? ['TEXT', 'IMAGE']
  const commentary = modalities.includes('TEXT') ? 'Here is your image.' : ''
  const textTokens = countTokens(commentary)
  if (imageTokens + textTokens > draft.outputLeft) return noContent(draft, 'MAX_TOKENS', { text: 0, image: 0, thoughts })
  const size = aspectRatios.get(config.imageConfig?.aspectRatio ?? '1:1') ?? { width: 1024, height: 1024 }
  const prompt = createHash('sha256').update(lastUserText(draft.request)).digest('hex')
  const image = await drawImage(prompt, size)
  const parts = [
    ...thoughtParts(draft),
    ...(commentary === '' ? [] : [{ text: commentary }]),
    { inlineData: { mimeType: 'image/png', data: placeholder }, thoughtSignature: signThought(draft.seed) },
  ]
  const reply = candidate(draft, parts, 'STOP', { text: textTokens, image: imageTokens, thoughts })
  const json = Buffer.concat(reply.body)
  const at = json.indexOf(placeholder)
  return { ...reply, body: [json.subarray(0, at), image, json.subarray(at + placeholder.length)] }
}
