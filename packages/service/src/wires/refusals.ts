export type Refusals = {
  /** What is wrong now; undefined when nothing is. */
  saw(sentence: string | undefined): void
}

/** Says the same thing once, until it was well in between or something else is wrong. */
export function openRefusals(tell: (sentence: string) => void = () => {}): Refusals {
  let told: string | undefined
  return {
    saw(sentence) {
      if (sentence !== undefined && sentence !== told) tell(sentence)
      told = sentence
    },
  }
}
