import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js'
import { defaultElevenLabsApiKey, type Sandbox } from '../start-sandbox.ts'

/** The vendor's own client against the sandbox; its retries, which would repeat a POST, are off. */
export function officialClient(sandbox: Sandbox, apiKey: string = defaultElevenLabsApiKey): ElevenLabsClient {
  return new ElevenLabsClient({ apiKey, baseUrl: sandbox.elevenlabsUrl, maxRetries: 0 })
}

export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
