/** Both ends inclusive. */
export type ByteRange = { first: number; last: number }
export type RangeAnswer = { kind: 'whole' } | { kind: 'part'; range: ByteRange } | { kind: 'unsatisfiable' }

const SINGLE_RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i

/**
 * What to answer to a Range header (RFC 9110, section 14): one range, the part of it that exists; anything else that is well-formed or
 * not, the whole file, as the standard allows. Several ranges in one answer nobody needs, and they are an old way to multiply work.
 */
export function rangeOf(header: string | undefined, bytes: number): RangeAnswer {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header ?? '') ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') {
    // The last so many bytes.
    const length = Number(last)
    return length === 0 ? { kind: 'unsatisfiable' } : partOf({ first: Math.max(0, bytes - length), last: bytes - 1 })
  }
  if (last !== '' && Number(last) < Number(first)) return { kind: 'whole' }
  if (Number(first) >= bytes) return { kind: 'unsatisfiable' }
  return partOf({ first: Number(first), last: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) })
}

function partOf(range: ByteRange): RangeAnswer {
  return { kind: 'part', range }
}

/** Whether a request with this header most likely wants the file from its first byte to its last. */
export function readsFromStart(header: string | undefined): boolean {
  return header === undefined || /^bytes=[ \t]*0-[ \t]*$/i.test(header)
}
