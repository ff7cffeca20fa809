import { randomUUID } from 'node:crypto'
import type { Stack } from '@turnpike/local'
import { signChallenge, type TestWallet } from '@turnpike/testing'

export const TRANSCRIPTIONS = '/v1/audio/transcriptions'
export const MODEL = 'el/scribe-v2'

export type Encoding = 'json' | 'multipart'
export type Options = Record<string, string | number | boolean>
export type Transcription = {
  id: string
  created: number
  model: string
  text: string
  language?: string
  language_probability_millionths?: number
  usage: { input_audio_ms: number }
  words?: { text: string; type: string; start?: number; end?: number; speaker?: string }[]
}

type Send = { baseUrl: string; mp3: Buffer; options?: Options; key?: string; payment?: string; fileName?: string }

/** One request for a transcription, in either of its encodings. */
export function send(
  encoding: Encoding,
  { baseUrl, mp3, options = {}, key = randomUUID(), payment, fileName }: Send,
): Promise<Response> {
  const headers = { 'x-idempotency-key': key, ...(payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }) }
  const url = `${baseUrl}${TRANSCRIPTIONS}`
  const fields = { model: MODEL, ...options }
  if (encoding === 'json') {
    const body = JSON.stringify({ ...fields, audio_base64: mp3.toString('base64') })
    return fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('file', new File([new Uint8Array(mp3)], fileName ?? 'a.mp3', { type: 'audio/mpeg' }))
  return fetch(url, { method: 'POST', headers, body: form })
}

/** A request with its payment in hand, quoted in one encoding; to be sent in any. */
export async function quoted(stack: Stack, wallet: TestWallet, encoding: Encoding, request: { mp3: Buffer; options?: Options }) {
  const key = randomUUID()
  const baseUrl = stack.baseUrl
  const challenge = await send(encoding, { ...request, baseUrl, key })
  if (challenge.status !== 402) throw new Error(`expected a challenge, got ${challenge.status}: ${await challenge.text()}`)
  const { price } = (await challenge.clone().json()) as { price: { amount: string; type: string } }
  const { header: payment, required } = await signChallenge(wallet, challenge)
  return { baseUrl, key, payment, price, amountAtomic: BigInt(required.accepts[0]?.amount ?? '0'), ...request }
}
