import { randomBytes } from 'node:crypto'

// W3C trace context, version 00: carried from the edge through every event.
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`
}

/** The same trace with a span of our own; a new trace when the parent is absent or malformed. */
export function childTraceparent(parent: string | undefined): string {
  const match = TRACEPARENT.exec(parent ?? '')
  if (match === null || /^0+$/.test(match[1] ?? '')) return newTraceparent()
  return `00-${match[1]}-${randomBytes(8).toString('hex')}-${match[3]}`
}
