import { nameOf } from './fault.ts'
import type { Outcome } from './fault-run.ts'
import type { StruckFault } from './strike.ts'

/** What a run found, for a person: time to recover after each kind of fault, then the books. */
export function renderReport(struck: readonly StruckFault[], outcome: Outcome): string {
  const { books, audit, upstreamCalls, violations, unfinished } = outcome
  const byName = Map.groupBy(struck, ({ fault }) => nameOf(fault))
  const rows = [...byName].map(([name, faults]) => {
    const times = faults.map(({ recoveredMs }) => recoveredMs).sort((one, other) => one - other)
    const hits = faults.reduce((sum, { inFlight }) => sum + inFlight.length, 0)
    return [name, faults.length, hits, times[times.length >> 1] ?? 0, times.at(-1) ?? 0] as const
  })
  const width = Math.max(0, ...rows.map(([name]) => name.length))
  const line = (cells: readonly (string | number)[]) =>
    `  ${String(cells[0]).padEnd(width)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(10))
      .join('')}`
  return [
    line(['fault', 'times', 'hit', 'median ms', 'worst ms']),
    ...rows.sort(([one], [other]) => (one < other ? -1 : 1)).map(line),
    '',
    `  clients: ${books.transfers} transfers, ${books.receipts} receipts, ${books.results} results, ${books.differences.length} differences`,
    `  audit: ${audit.transfers} transfers, ${audit.receipts} receipts, ${audit.results} results, ${audit.differences} differences, ${audit.refunds} due for refund`,
    `  ${outcome.replayed} results fetched again with another signature, ${books.closed} keys closed without a charge`,
    `  ${upstreamCalls.perCharged.toFixed(3)} upstream calls per charged request, at most ${upstreamCalls.most}`,
    ...[...books.differences, audit.text, ...violations, ...unfinished]
      .filter((what) => what !== '')
      .map((what) => `  DIFFERENCE ${what}`),
  ].join('\n')
}

export function isClean({ books, audit, violations, unfinished, replayed }: Outcome): boolean {
  const isWhole = books.transfers === books.receipts && books.receipts === books.results && replayed === books.results
  const isAudited = audit.status === 0 && audit.transfers === books.transfers && audit.refunds === 0 && audit.foreign === 0
  return (
    isWhole && isAudited && books.results > 0 && [books.differences, violations, unfinished].every((list) => list.length === 0)
  )
}
