// The dynamic program of the most pieces, run ahead of time. What it remembers between two characters are seven counts, of which only the
// differences matter, and these stay small: there are 84 states in all. A character is then one look-up in place of a dozen comparisons
// that no processor can guess.

const IMPOSSIBLE = Number.NEGATIVE_INFINITY

/**
 * Most pieces up to the last character by the length of the last piece (one, two, three or more), the same up to the last but one, and the
 * most up to any character before. Not up to the third last alone: the count can fall from one character to the next, and a long piece
 * reaches back over the fall.
 */
type Counts = readonly [one1: number, two1: number, more1: number, one2: number, two2: number, more2: number, most3: number]

const AT_START: Counts = [IMPOSSIBLE, IMPOSSIBLE, 0, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE, IMPOSSIBLE]

/** How the next character stands to those before it: as the second of a pair, as the third of a triple. Added to a state, it is a step. */
export const PAIR = 1
export const TRIPLE = 2
/** A character without a token, which parts what stands around it: the way back to the first state. */
export const UNKNOWN = 4
const STEPS_PER_STATE = 8

/**
 * By step: the state it leads to, and the pieces that it gains (or loses). The first state is 0; what all steps gain together is the most
 * pieces of the stretch.
 */
export const PIECE_AUTOMATON = automaton()

function automaton(): { nextState: Uint16Array; gained: Int8Array } {
  const states: Counts[] = [AT_START]
  const numbers = new Map([[AT_START.join(), 0]])
  const nextState: number[] = []
  const gained: number[] = []
  // It grows while it is walked, until no step leads anywhere new.
  for (const counts of states) {
    for (let step = 0; step < STEPS_PER_STATE; step++) {
      if ((step & UNKNOWN) !== 0) {
        nextState.push(0)
        gained.push(0)
        continue
      }
      const next = stepped(counts, (step & PAIR) !== 0, (step & TRIPLE) !== 0)
      const gain = Math.max(next[0], next[1], next[2])
      const levelled = next.map((count) => count - gain) as unknown as Counts
      const name = levelled.join()
      const number = numbers.get(name) ?? states.push(levelled) - 1
      numbers.set(name, number)
      nextState.push(number * STEPS_PER_STATE)
      gained.push(gain)
    }
  }
  return { nextState: Uint16Array.from(nextState), gained: Int8Array.from(gained) }
}

function stepped([one1, two1, more1, one2, two2, more2, most3]: Counts, isPair: boolean, isTriple: boolean): Counts {
  const one = 1 + Math.max(isPair ? IMPOSSIBLE : one1, isTriple ? IMPOSSIBLE : two1, more1)
  const two = isPair ? 1 + Math.max(isTriple ? IMPOSSIBLE : one2, two2, more2) : IMPOSSIBLE
  return [one, two, 1 + most3, one1, two1, more1, Math.max(most3, one2, two2, more2)]
}
