import type { InspectedAudio } from '../transcription/inspect-audio.ts'

/** What the worker gets of a request. */
export type RequestContent = {
  /** RFC 8785 text of the effective body. Empty for an unsigned request that was too large to keep it. */
  canonicalBody: string
  /** The audio that the effective body names by its hash. Kept for signed requests only: nobody else's is staged. */
  audio: InspectedAudio | undefined
}

/**
 * The content for as long as somebody may still publish it. Most of what a request holds is this, and a wait for a slow job is long: so the
 * content is let go when its job is on its way, and the room of its body is there for the next one.
 */
export type HeldContent = {
  /** Undefined once it was let go: then only another copy of the request can bring it. */
  get(): RequestContent | undefined
  /** Forgets the content and gives its room back. Doing so again changes nothing. */
  letGo(): void
}

export function holdContent(content: RequestContent, giveBack: () => void): HeldContent {
  let held: RequestContent | undefined = content
  return {
    get: () => held,
    letGo() {
      if (held === undefined) return
      held = undefined
      giveBack()
    },
  }
}
