import { beforeAll, describe, expect, it } from 'vitest'
import { clip, MP3_CLIPS } from './testing/clips.ts'
import { decodedMs } from './testing/ffmpeg.ts'
import { type Trap, traps } from './testing/traps.ts'
import { walkMp3 } from './walk-mp3.ts'

const TOLERANCE_MS = 60

/** Fails with the reason when the bytes are refused. */
function durationOf(bytes: Uint8Array): number {
  const walk = walkMp3(bytes)
  if (!walk.ok) throw new Error(walk.why)
  return walk.durationMs
}

describe('the duration of an MP3', () => {
  it.each(MP3_CLIPS)('is what %s plays', async (name) => {
    const bytes = await clip(name)
    expect(Math.abs(durationOf(bytes) - ((await decodedMs(bytes)) ?? 0))).toBeLessThan(2)
  })

  it('does not depend on where the bytes lie in their buffer', async () => {
    const bytes = await clip('mpeg1-44100-mono-cbr')
    const shifted = Buffer.concat([Buffer.from('LYRICS200'), bytes, Buffer.from('LYRICS200')]).subarray(9, -9)
    expect(walkMp3(shifted)).toEqual(walkMp3(bytes))
    expect(walkMp3(new Uint8Array(shifted))).toEqual(walkMp3(bytes))
  })
})

describe('a file that misleads readers of headers', () => {
  let all: Trap[]
  beforeAll(async () => {
    all = await traps()
  })

  it('is measured right, and as it decodes', async () => {
    const wrong: string[] = []
    const undecoded: string[] = []
    for (const { name, bytes, trueMs, parts } of all) {
      const durationMs = durationOf(bytes)
      const decoded = await decodedMs(bytes)
      if (decoded === undefined) undecoded.push(name)
      if (Math.abs(durationMs - trueMs) > TOLERANCE_MS * parts || Math.abs(durationMs - (decoded ?? trueMs)) > TOLERANCE_MS) {
        wrong.push(`${name}: ${durationMs}, true ${trueMs}, decoded ${decoded}`)
      }
    }
    expect(wrong).toEqual([])
    expect(undecoded).toEqual(['ID3v2 that says it is larger than the file'])
  })
})
