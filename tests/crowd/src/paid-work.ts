import { speechClip } from '@turnpike/sandbox'
import { chat } from '@turnpike/testing'

/** What is bought. A kind of work has an endpoint, a vendor and workers of its own. */
export const WORK = ['text', 'image', 'speech', 'transcription'] as const
export type Work = (typeof WORK)[number]

type Bought = {
  path: string
  /** Its marker reaches the upstream, so that a call there can be told from others. */
  bodyWith(marker: string): Record<string, unknown>
  /** The first bytes of the file that a paid answer links to; undefined where the answer is the work. */
  file: readonly string[] | undefined
}

const BOUGHT: Record<Work, Bought> = {
  text: { path: '/v1/chat/completions', bodyWith: (marker) => chat(`Say ${marker}`), file: undefined },
  image: {
    path: '/v1/images/generations',
    bodyWith: (marker) => ({ model: 'gm-3.1-flash-lite-image', prompt: `Draw ${marker}` }),
    file: ['89504e47'],
  },
  speech: {
    path: '/v1/audio/speech',
    bodyWith: (marker) => ({ model: 'el/flash-v2.5', input: marker }),
    // A tag, or the first frame at once.
    file: ['494433', 'fffb', 'fff3'],
  },
  transcription: {
    path: '/v1/audio/transcriptions',
    bodyWith: (marker) => ({
      model: 'el/scribe-v2',
      audio_base64: speechClip('Somebody said this sentence.', { title: marker }).toString('base64'),
    }),
    file: undefined,
  },
}

export const pathOf = (work: Work): string => BOUGHT[work].path
export const bodyOf = (work: Work, marker: string): Record<string, unknown> => BOUGHT[work].bodyWith(marker)

/** Whether this can be the answer to what was asked, as far as a text tells: a file says nothing of its prompt. */
export function answers(work: Work, marker: string, body: string): boolean {
  // The provider's filter may have stopped a text, which is an answer like any other.
  return work !== 'text' || body.includes(marker) || body.includes('"finish_reason":"content_filter"')
}

/** Fetches the file of a paid answer as a stranger who holds its link would. Undefined: it is there, or there is none to be had. */
export async function missingFile(work: Work, body: string): Promise<string | undefined> {
  const { file } = BOUGHT[work]
  if (file === undefined) return undefined
  const url = (JSON.parse(body) as { data?: { url?: string }[] }).data?.[0]?.url
  if (url === undefined) return `its ${work} has no link`
  const response = await fetch(url)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (response.status !== 200) return `its ${work} cannot be had: ${response.status}`
  return file.some((start) => bytes.toString('hex', 0, start.length / 2) === start) ? undefined : `its ${work} is another file`
}
