import { request as httpRequest } from 'node:http'
import type { UploadBody } from './upload-bodies.ts'

export type UploadEnd = { status: number; ms: number; tries: number; refusals: number[] }

const FALLBACK_RETRY_MS = 1_000

/** Sends one unpaid upload, again whenever it is told to come back later, until it has its answer or its time is over. */
export async function uploadUntilAnswered(target: URL, body: UploadBody, key: string, withinMs: number): Promise<UploadEnd> {
  const startedAt = performance.now()
  const refusals: number[] = []
  for (let tries = 1; ; tries++) {
    const { status, retryAfterMs } = await upload(target, body, key)
    const ms = performance.now() - startedAt
    if (![0, 429, 503].includes(status) || ms + retryAfterMs > withinMs) return { status, ms, tries, refusals }
    refusals.push(status)
    await new Promise((resolve) => setTimeout(resolve, retryAfterMs))
  }
}

/** A status of 0 is a connection that broke. */
function upload(
  target: URL,
  { path, contentType, bytes }: UploadBody,
  key: string,
): Promise<{ status: number; retryAfterMs: number }> {
  return new Promise((resolve) => {
    const request = httpRequest(new URL(path, target), {
      method: 'POST',
      agent: false,
      headers: { 'content-type': contentType, 'content-length': bytes.length, 'x-idempotency-key': key },
    })
    request.on('response', (response) => {
      const seconds = Number(response.headers['retry-after'])
      response.resume()
      // Who is refused stops sending.
      response.on('end', () => request.destroy())
      resolve({ status: response.statusCode ?? 0, retryAfterMs: seconds > 0 ? seconds * 1_000 : FALLBACK_RETRY_MS })
    })
    request.on('error', () => resolve({ status: 0, retryAfterMs: FALLBACK_RETRY_MS }))
    request.end(bytes)
  })
}
