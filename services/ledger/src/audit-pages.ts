import type { AuditRange } from './audit-rows.ts'

const BLOCK = /^[0-9]{1,18}$/
const MILLISECONDS = /^[0-9]{1,15}$/
const CURSOR = /^([0-9]{1,18})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** `?from=&to=&cursor=`: the blocks to read, and the place to go on from. Undefined for anything else. */
export function parseAuditRange(query: URLSearchParams): AuditRange | undefined {
  const from = query.get('from') ?? ''
  const to = query.get('to') ?? ''
  const after = parseCursor(query.get('cursor') ?? `${from}_${BEFORE_ALL}`)
  if (!BLOCK.test(from) || !BLOCK.test(to) || after === undefined) return undefined
  return { from: BigInt(from), to: BigInt(to), after: { block: BigInt(after.at), id: after.id } }
}

/** `?since=&cursor=`: milliseconds since the epoch, and the place to go on from. Undefined for anything else. */
export function parseReceiptPage(query: URLSearchParams): { createdAtMs: number; id: string } | undefined {
  const since = query.get('since') ?? ''
  const after = parseCursor(query.get('cursor') ?? `${since}_${BEFORE_ALL}`)
  if (!MILLISECONDS.test(since) || after === undefined || !MILLISECONDS.test(after.at)) return undefined
  return { createdAtMs: Number(after.at), id: after.id }
}

function parseCursor(text: string): { at: string; id: string } | undefined {
  const [, at, id] = CURSOR.exec(text) ?? []
  return at === undefined || id === undefined ? undefined : { at, id }
}
