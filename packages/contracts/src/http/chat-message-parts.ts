import type { RawChatMessage, RawChatPart } from './chat-completions.ts'
import type { ChatImagePart, ChatTextPart } from './effective-chat-request.ts'
import { checkImageUrl, type ImageBudget } from './image-source.ts'
import { invalid, type Parsed } from './request-problem.ts'
import { withoutNulls } from './without-nulls.ts'

/** The parts of a message. Images only in user messages; a refusal is the text that an assistant gave instead of an answer. */
export function parseChatContent(
  role: RawChatMessage['role'],
  content: string | RawChatPart[],
  path: string,
  images: ImageBudget,
): Parsed<string | (ChatTextPart | ChatImagePart)[]> {
  if (typeof content === 'string') return { ok: true, value: content }
  if (content.length === 0) return invalid(path, `${path} must hold at least one part.`)
  const parts: (ChatTextPart | ChatImagePart)[] = []
  for (const [index, part] of content.entries()) {
    const at = `${path}[${index}]`
    switch (part.type) {
      case 'text':
        parts.push({ ...withoutNulls(part), type: 'text', text: part.text })
        break
      case 'refusal': {
        const { refusal, text: _text, ...rest } = part
        parts.push({ ...withoutNulls(rest), type: 'text', text: refusal })
        break
      }
      case 'image_url': {
        if (role !== 'user') return invalid(at, `${at}: only user messages may hold images.`, 'unsupported_value')
        const url = checkImageUrl(part.image_url.url, `${at}.image_url.url`, images)
        if (!url.ok) return url
        // "auto" is the default; like "low" and "high" it changes nothing, but only the default is the same as its absence.
        const { detail, ...rest } = withoutNulls(part.image_url)
        const image_url = { ...rest, ...(detail === undefined || detail === 'auto' ? {} : { detail }), url: url.value }
        parts.push({ ...withoutNulls(part), type: 'image_url', image_url })
        break
      }
    }
  }
  return { ok: true, value: parts }
}
