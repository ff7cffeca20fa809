import { inspectImage } from './inspect-image.ts'

const DATA_URL = /^data:[^,]{0,100};base64,/i

/** The bytes of a data URL as Base64 text, or undefined for any other URL. */
export function base64OfDataUrl(url: string): string | undefined {
  const head = DATA_URL.exec(url.slice(0, 128))?.[0]
  return head === undefined ? undefined : url.slice(head.length)
}

/** The size of an image that was checked when it came in. Throws on any other. */
export function imageOfBase64(base64: string): { widthPx: number; heightPx: number } {
  const image = inspectImage(Buffer.from(base64, 'base64'))
  if (!image.ok) throw new TypeError(`an unchecked image: ${image.why}`)
  return { widthPx: image.widthPx, heightPx: image.heightPx }
}

export function imageOfUrl(url: string): { widthPx: number; heightPx: number } | 'by_url' {
  const base64 = base64OfDataUrl(url)
  return base64 === undefined ? 'by_url' : imageOfBase64(base64)
}
