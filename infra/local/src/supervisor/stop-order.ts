import type { Unit } from '../units/unit.ts'

/** A stop takes at most 15 s; what is left after this goes into killing the rest. */
const budgetMs = 13_000
const leastGraceMs = 200
/** Services may finish what they have in hand; a broker needs a moment to leave its files whole. */
const graceByRank: Readonly<Record<number, number>> = { 6: 4_500, 5: 4_000, 4: 3_500, 3: 1_500, 2: 3_500, 1: 1_500 }

/** From the front to the back: what takes requests goes first, what everything else stands on last. */
export function stopOrder<Entry extends { readonly unit: Pick<Unit, 'stopRank'> }>(
  entries: readonly Entry[],
): { readonly rank: number; readonly members: readonly Entry[] }[] {
  const ranks = [...new Set(entries.map(({ unit }) => unit.stopRank))].sort((one, other) => other - one)
  return ranks.map((rank) => ({ rank, members: entries.filter(({ unit }) => unit.stopRank === rank) }))
}

/** How long a tier may take when the tiers before it took `spentMs`. */
export function graceOf(rank: number, spentMs: number): number {
  return Math.max(leastGraceMs, Math.min(graceByRank[rank] ?? 2_000, budgetMs - spentMs))
}
