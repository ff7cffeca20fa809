import { randomBytes } from 'node:crypto'
import type { KeyProvider } from '@turnpike/sealing'
import type { StagingKeys } from './staged-audio.ts'

/**
 * Whether the two sides of staging fit together. Who stages may only wrap and who opens may only unwrap, so neither can find out alone:
 * who stages leaves a wrapped key for nothing beside the real ones, and who opens says there whether it unwraps.
 */
export type SampleKey = {
  /** For who stages: a key was wrapped now, and whoever tried to unwrap one lately could. True where nobody tried. Never throws. */
  isOpened(): Promise<boolean>
  /** For who opens: whether the last sample unwraps. `none` where nobody stages. Throws while the sample cannot be read. */
  open(): Promise<SampleEnd>
  /** Leaves word of it for who stages. */
  tell(end: SampleEnd): Promise<void>
}
export type SampleEnd = 'opened' | 'refused' | 'none'

// No staging has such a name.
const SAMPLE = 'sample'
const OPENED = 'sample-opened'
const REFUSED = 'sample-refused'
const SAMPLE_MS = 60_000
/** Above the time between two questions of one opener. */
const OPENED_MS = 15_000
/** A key service that does not answer takes the opener some 16 s to give up. */
const REFUSED_MS = 30_000
const DATA_KEY_BYTES = 32
const CONTEXT = { purpose: 'probe' }

export function sampleKey({ keys, provider }: { keys: StagingKeys; provider: KeyProvider }): SampleKey {
  return {
    async isOpened() {
      const wrapped = await wrap(provider)
      if (wrapped === undefined) return false
      try {
        await keys.keep(SAMPLE, wrapped, SAMPLE_MS)
        const [opened, refused] = await Promise.all([keys.find(OPENED), keys.find(REFUSED)])
        // One opener with a fault of its own must not stop what the others can open.
        return refused === undefined || opened !== undefined
      } catch {
        // Nothing is known of the openers then, and whoever needs where the keys stand finds out by itself.
        return true
      }
    },
    async open() {
      const wrapped = await keys.find(SAMPLE)
      if (wrapped === undefined) return 'none'
      return (await unwraps(provider, wrapped)) ? 'opened' : 'refused'
    },
    async tell(end) {
      if (end === 'opened') await keys.keep(OPENED, '1', OPENED_MS)
      if (end === 'refused') await keys.keep(REFUSED, '1', REFUSED_MS)
    },
  }
}

async function wrap(provider: KeyProvider): Promise<string | undefined> {
  try {
    return await provider.wrap(randomBytes(DATA_KEY_BYTES), CONTEXT)
  } catch {
    return undefined
  }
}

async function unwraps(provider: KeyProvider, wrapped: string): Promise<boolean> {
  try {
    await provider.unwrap(wrapped, CONTEXT)
    return true
  } catch {
    return false
  }
}
