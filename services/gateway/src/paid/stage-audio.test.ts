import { createLogger } from '@turnpike/service'
import { MAX_STAGING_MS } from '@turnpike/storage'
import type { AudioToStage } from '@turnpike/storage/staged-audio'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { discardAudio, stageAudio } from './stage-audio.ts'

const AT = { ref: 'staging/x', sha256: '0'.repeat(64), bytes: 10 }
const audio = { bytes: new Uint8Array(4), sha256: 'a'.repeat(64), durationMs: 1_000 }
const log = createLogger({ service: 'test', format: 'json', level: 'silent' })
const job = { jobId: 'b'.repeat(64), keepClaim: async () => true }

function staging(stage: (audio: AudioToStage) => Promise<typeof AT> = async () => AT) {
  return { stage, open: () => Promise.reject(new Error('not here')), discard: vi.fn(async () => {}) }
}

describe('audio', () => {
  it.each([
    [300_000, 600_000],
    [7_200_000, MAX_STAGING_MS],
  ])('whose job has %i ms is staged for %i', async (deadlineMs, lifetimeMs) => {
    const staged: AudioToStage[] = []
    const own = staging(async (each) => {
      staged.push(each)
      return AT
    })
    expect(await stageAudio({ staging: own }, { audio, deadlineMs }, job)).toEqual(AT)
    expect(staged).toEqual([{ jobId: job.jobId, bytes: audio.bytes, sha256: audio.sha256, lifetimeMs }])
  })

  it('of which there is none is not staged', async () => {
    const own = staging(() => Promise.reject(new Error('staged')))
    expect(await stageAudio({ staging: own }, { audio: undefined, deadlineMs: 1 }, job)).toBeUndefined()
  })

  it('that was staged for nothing is deleted, or left to lapse', async () => {
    const own = staging()
    await discardAudio({ staging: own }, { log }, undefined)
    expect(own.discard).not.toHaveBeenCalled()
    own.discard.mockRejectedValue(new Error('away'))
    await discardAudio({ staging: own }, { log }, AT)
    expect(own.discard).toHaveBeenCalledWith(AT)
  })
})

describe('a store that is slow', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('does not cost the request its claim, which is renewed until the audio is there and no longer', async () => {
    const { promise: stored, resolve } = Promise.withResolvers<typeof AT>()
    const keepClaim = vi.fn(() => Promise.reject(new Error('Redis is away')))
    const done = stageAudio({ staging: staging(() => stored) }, { audio, deadlineMs: 300_000 }, { ...job, keepClaim })
    await vi.advanceTimersByTimeAsync(16_000)
    expect(keepClaim).toHaveBeenCalledTimes(3)
    resolve(AT)
    await done
    await vi.advanceTimersByTimeAsync(60_000)
    expect(keepClaim).toHaveBeenCalledTimes(3)
  })
})
