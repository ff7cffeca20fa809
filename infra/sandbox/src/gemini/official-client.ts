import { GoogleGenAI } from '@google/genai'
import { defaultGeminiApiKey, type Sandbox } from '../start-sandbox.ts'

/** The vendor's own client against the sandbox, without retries: it, not our adapter, says whether an answer is readable. */
export function officialClient(sandbox: Sandbox, apiKey: string = defaultGeminiApiKey, apiVersion = 'v1beta'): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: sandbox.geminiUrl, apiVersion } })
}

/** The bare wire, for bodies that the client would not build. */
export async function post(
  sandbox: Sandbox,
  model: string,
  body: unknown,
  headers: Record<string, string> = { 'x-goog-api-key': defaultGeminiApiKey },
): Promise<{ status: number; body: string }> {
  const response = await fetch(`${sandbox.geminiUrl}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, body: await response.text() }
}

export interface WireStatus {
  code: number
  message: string
  status: string
  details?: { '@type': string; fieldViolations?: unknown[] }[]
}

/** The error of a body that must be refused. */
export async function refusal(sandbox: Sandbox, body: unknown, model = 'gemini-2.5-flash'): Promise<WireStatus> {
  const response = await post(sandbox, model, body)
  const { error } = JSON.parse(response.body) as { error?: WireStatus }
  if (error?.code !== response.status) throw new Error(`not refused: ${response.status} ${response.body}`)
  return error
}
