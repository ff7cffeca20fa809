/** What an upstream answers. The body is a list of chunks so that large shared pieces (an image, speech) are never copied. */
export interface Reply {
  status: number
  headers: Record<string, string>
  body: readonly Buffer[]
}

/** How the upstream is to answer a valid request: as it would, or with the two outcomes that only a model can produce. */
export type AnswerMode = 'normal' | 'blocked' | 'no-content'

/** One received request, understood far enough to be recorded; `answer` does the rest of the work. */
export interface PreparedCall {
  model: string
  /** The last user text, the prompt or the speech input. */
  text: string
  answer(mode: AnswerMode, callNumber: number): Promise<Reply> | Reply
}

export type FaultStatus = 429 | 500 | 503

export interface UpstreamRequest {
  method: string
  path: string
  query: URLSearchParams
  header(name: string): string | undefined
  body: Buffer
}

/** One vendor's wire: understands its requests and knows its own error bodies. */
export interface Upstream {
  name: UpstreamName
  prepare(request: UpstreamRequest): PreparedCall
  faultReply(status: FaultStatus): Reply
  tooLarge(): Reply
}

export const upstreamNames = ['gemini', 'elevenlabs'] as const
export type UpstreamName = (typeof upstreamNames)[number]

export function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
    body: [Buffer.from(JSON.stringify(value))],
  }
}
