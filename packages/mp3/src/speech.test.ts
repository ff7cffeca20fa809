import { defaultElevenLabsApiKey, type Sandbox, startSandbox } from '@turnpike/sandbox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decodedMs } from './testing/ffmpeg.ts'
import { walkMp3 } from './walk-mp3.ts'

const CLIPS = 50
const TOLERANCE_MS = 60
const FORMATS = ['mp3_44100_128', 'mp3_44100_64', 'mp3_22050_32', 'mp3_44100_32', 'mp3_24000_48']

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

async function speak(index: number): Promise<Buffer> {
  const response = await fetch(
    `${sandbox.elevenlabsUrl}/v1/text-to-speech/${'A'.repeat(20)}?output_format=${FORMATS[index % FORMATS.length]}`,
    {
      method: 'POST',
      headers: { 'xi-api-key': defaultElevenLabsApiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        text: 'The quick brown fox jumps over the lazy dog. '.repeat(1 + (index % 7)).slice(0, 1 + index * 6),
        model_id: 'eleven_flash_v2_5',
        voice_settings: { speed: 0.7 + (index % 6) / 10 },
      }),
    },
  )
  if (!response.ok) throw new Error(`the sandbox did not speak: ${response.status} ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

it('measures speech as it plays', async () => {
  let largestErrorMs = 0
  for (let index = 0; index < CLIPS; index++) {
    const bytes = await speak(index)
    const walk = walkMp3(bytes)
    if (!walk.ok) throw new Error(`clip ${index}: ${walk.why}`)
    largestErrorMs = Math.max(largestErrorMs, Math.abs(walk.durationMs - ((await decodedMs(bytes)) ?? 0)))
  }
  expect(largestErrorMs).toBeLessThan(TOLERANCE_MS)
})
