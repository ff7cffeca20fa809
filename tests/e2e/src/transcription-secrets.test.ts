import { randomUUID } from 'node:crypto'
import { fundWallet } from '@turnpike/local'
import { speechClip } from '@turnpike/sandbox'
import { clearFaults, HELD_MS, setFaults, until } from '@turnpike/testing'
import { afterAll, afterEach, expect, it } from 'vitest'
import { logsOf, processesOf, stackNow } from './stack-under-test.ts'
import { stagingOf } from './staging-of-stack.ts'
import { filesHolding } from './stored-in-stack.ts'
import { quoted, send, type Transcription } from './transcription-requests.ts'

const stack = stackNow()
const staging = stagingOf(stack)
afterEach(() => clearFaults(stack))
afterAll(() => staging.close())

const FRAME_BYTES = 417
const LOOKED_FOR = 4
const LEAST_DISTINCT_BYTES = 30

/** The insides of some frames, and their Base64 in all of its three alignments. Frames of silence are zeros, which are everywhere. */
function framesOf(mp3: Buffer): Buffer[] {
  return Array.from({ length: Math.floor(mp3.length / FRAME_BYTES) - 1 }, (_, frame) =>
    mp3.subarray(frame * FRAME_BYTES + 60, frame * FRAME_BYTES + 120),
  )
    .filter((inside) => new Set(inside).size > LEAST_DISTINCT_BYTES)
    .slice(0, LOOKED_FOR)
    .flatMap((inside) => [
      inside,
      ...[0, 1, 2].map((shift) => Buffer.from(inside.subarray(shift).toString('base64').slice(0, 72))),
    ])
}

it('audio, transcript, language and file name are nowhere in the clear: not while the audio waits, not afterwards', async () => {
  await staging.isEmpty()
  const wallet = await fundWallet(stack, 1)
  const title = `secret title ${randomUUID()}`
  const fileName = `secret-file-${randomUUID()}.mp3`
  const mp3 = speechClip(`A secret that somebody told ${randomUUID()}, and a little more.`, { title })
  const options = { language: 'yue', response_format: 'verbose_json', timestamps: 'word' }
  const audio = [Buffer.from(title), Buffer.from(fileName), ...framesOf(mp3)]
  // What is looked for is what is in the clip.
  expect(audio.slice(2).filter((needle) => mp3.includes(needle))).toHaveLength(LOOKED_FOR)

  const parts = ['s3', 'kafka', 'redis', 'postgres'] as const
  const found: string[] = []
  let stagedLooks = 0
  const look = async () => {
    const before = (await staging.objects()).length
    found.push(...filesHolding('s3', audio))
    stagedLooks += before
  }

  await setFaults(stack, [{ upstream: 'elevenlabs', kind: 'latency', ms: HELD_MS, match: { bodyIncludes: title } }])
  const request = await quoted(stack, wallet, 'multipart', { mp3, options })
  let isOver = false
  const answer = send('multipart', { ...request, fileName }).finally(() => {
    isOver = true
  })
  await until('the request is answered', async () => {
    await look()
    if (stagedLooks > 0) await clearFaults(stack)
    return isOver
  })
  const response = await answer
  const body = (await response.json()) as Transcription
  expect([response.status, body.language]).toEqual([200, 'yue'])
  expect(stagedLooks, 'looks at a bucket with the audio in it').toBeGreaterThan(0)
  await staging.isEmpty()
  await look()
  expect(found).toEqual([])
  const told = [...audio, Buffer.from(body.text), Buffer.from('"yue"'), Buffer.from('language_code')]
  for (const part of parts) expect(filesHolding(part, told), part).toEqual([])

  const services = ['gateway', 'ledger', 'transcription-worker', 'facilitator']
  for (const service of services) {
    const log = logsOf(service)
    expect(log, service).toContain('"msg"')
    for (const needle of told) expect(log.includes(needle.toString('latin1')), service).toBe(false)
    expect(log, service).not.toMatch(/milliseconds of audio|\byue\b|\.mp3/)
  }
  for (const { internalUrl } of services.flatMap(processesOf)) {
    expect(await (await fetch(`${internalUrl}/metrics`)).text()).not.toMatch(/\byue\b|secret|milliseconds of audio|scribe_v2/)
  }
})
