import { inspectImage } from './inspect-image.ts'
import { invalid, type RequestProblem } from './request-problem.ts'

/** As many as fit a conversation; each by URL is a download after payment. */
export const MAX_IMAGES = 100
export const MAX_IMAGES_BY_URL = 20
export const MAX_IMAGE_URL_LENGTH = 8_192
export type ImageBudget = { imagesLeft: number; byUrlLeft: number }
export const imageBudget = (): ImageBudget => ({ imagesLeft: MAX_IMAGES, byUrlLeft: MAX_IMAGES_BY_URL })

type Checked<T> = { ok: true; value: T } | { ok: false; problem: RequestProblem }

const DATA_URL = /^data:([^,;]{0,100});base64,/i
const WHY = {
  not_an_image: 'is not a PNG, JPEG or WebP image',
  unsupported_type: 'is an image of a type that is not supported: send a PNG, a JPEG or a WebP that does not move',
  too_many_pixels: 'has more than 16384 pixels a side, or more than 64 million',
}

/** An https URL, spelled as a browser would, or a data URL whose bytes are what it says. Linear in its length. */
export function checkImageUrl(url: string, path: string, budget: ImageBudget): Checked<string> {
  if (/^data:/i.test(url)) {
    const head = DATA_URL.exec(url.slice(0, 128))
    if (head === null) return invalid(path, `${path} must be a data URL of the form data:image/png;base64,...`)
    const type = (head[1] ?? '').toLowerCase()
    const mimeType = type === 'image/jpg' ? 'image/jpeg' : type
    const data = url.slice(head[0].length)
    const problem = base64ImageProblem({ mimeType, data }, { type: path, data: path }, budget)
    return problem ?? { ok: true, value: `data:${mimeType};base64,${data}` }
  }
  return checkHttpsUrl(url, path, budget)
}

/** An https URL, spelled as a browser would. Where it leads is for the worker to judge, after payment. */
export function checkHttpsUrl(url: string, path: string, budget: ImageBudget): Checked<string> {
  const spent = spend(path, budget)
  if (spent !== undefined) return spent
  budget.byUrlLeft -= 1
  if (budget.byUrlLeft < 0)
    return invalid(path, `${path} is one image by URL too many: at most ${MAX_IMAGES_BY_URL} are fetched.`)
  if (url.length > MAX_IMAGE_URL_LENGTH) return invalid(path, `${path} is longer than ${MAX_IMAGE_URL_LENGTH} characters.`)
  const parsed = URL.parse(url)
  if (parsed === null) return invalid(path, `${path} is not a URL.`)
  if (parsed.protocol !== 'https:') {
    return invalid(
      path,
      `${path} must be an https URL, or hold the image itself: other schemes are not fetched.`,
      'unsupported_value',
    )
  }
  if (parsed.username !== '' || parsed.password !== '') return invalid(path, `${path} must not carry a user name or password.`)
  return { ok: true, value: parsed.href }
}

/** Base64 in one spelling only: the standard alphabet, padded, nothing between. One image is then one text and one fingerprint. */
export function base64ImageProblem(
  image: { mimeType: string; data: string },
  paths: { type: string; data: string },
  budget: ImageBudget,
): { ok: false; problem: RequestProblem } | undefined {
  const spent = spend(paths.data, budget)
  if (spent !== undefined) return spent
  const bytes = Buffer.from(image.data, 'base64')
  if (image.data === '' || bytes.toString('base64') !== image.data) {
    return invalid(paths.data, `${paths.data} must hold standard Base64 with padding and nothing else.`)
  }
  const inspected = inspectImage(bytes)
  if (!inspected.ok) {
    const code = inspected.why === 'unsupported_type' ? 'unsupported_value' : 'invalid_value'
    return invalid(paths.data, `${paths.data} ${WHY[inspected.why]}.`, code)
  }
  if (inspected.mimeType === image.mimeType) return undefined
  return invalid(paths.type, `${paths.type} names another type than the ${inspected.mimeType} that its bytes are.`)
}

function spend(path: string, budget: ImageBudget): { ok: false; problem: RequestProblem } | undefined {
  budget.imagesLeft -= 1
  return budget.imagesLeft < 0 ? invalid(path, `${path} is one image too many: at most ${MAX_IMAGES} are taken.`) : undefined
}

/** The size of an image that was checked when it came in. Throws on any other. */
export function imageOfBase64(base64: string): { widthPx: number; heightPx: number } {
  const image = inspectImage(Buffer.from(base64, 'base64'))
  if (!image.ok) throw new TypeError(`an unchecked image: ${image.why}`)
  return { widthPx: image.widthPx, heightPx: image.heightPx }
}

export function imageOfUrl(url: string): { widthPx: number; heightPx: number } | 'by_url' {
  const comma = url.startsWith('data:') ? url.indexOf(',') : -1
  return comma === -1 ? 'by_url' : imageOfBase64(url.slice(comma + 1))
}
