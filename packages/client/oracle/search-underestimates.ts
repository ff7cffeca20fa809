import { KINDS, pieceOf } from './hostile-texts.ts'
import type { Random } from './random.ts'

export type Found = { ratio: number; text: string }

/**
 * Climbs towards texts whose estimate is low for their tokens: exchanges, copies and drops pieces, and keeps what is no better for us.
 * `kinds` are the kinds of pieces it may use. Every text it tried is handed to `seen`.
 */
export function searchUnderestimate(
  deps: { estimate(text: string): number; tokens(text: string): number; random: Random; seen?(text: string): void },
  options: { kinds: readonly string[]; pieces: number; steps: number },
): Found {
  const { random } = deps
  const fresh = () => pieceOf(random.pick<string>(options.kinds), random)
  const judge = (pieces: string[]): Found => {
    const text = pieces.join('')
    deps.seen?.(text)
    const tokens = deps.tokens(text)
    return { ratio: tokens === 0 ? Number.POSITIVE_INFINITY : deps.estimate(text) / tokens, text }
  }
  let pieces = Array.from({ length: options.pieces }, fresh)
  let lowest = judge(pieces)
  for (let step = 0; step < options.steps; step++) {
    const changed = [...pieces]
    const at = random.below(changed.length)
    const way = random.below(4)
    if (way === 0) changed[at] = changed[random.below(changed.length)] as string
    else if (way === 1) changed.splice(at, 1, fresh(), fresh())
    else changed[at] = fresh()
    while (changed.length > options.pieces) changed.splice(random.below(changed.length), 1)
    const found = judge(changed)
    if (found.ratio > lowest.ratio) continue
    pieces = changed
    lowest = found
  }
  return lowest
}

/** Every kind alone, every kind among words, and everything at once. */
export function searches(): { name: string; kinds: string[] }[] {
  return [
    ...KINDS.map((kind) => ({ name: kind, kinds: [kind] })),
    ...KINDS.map((kind) => ({ name: `${kind} among words`, kinds: [kind, 'word', 'spacedWord', 'capitalisedWord'] })),
    { name: 'everything', kinds: KINDS },
  ]
}
