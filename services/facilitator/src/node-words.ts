/** Everything the error and its causes say; the node's own words are in viem's `details`. To be matched, never to be logged. */
export function nodeWords(error: unknown): string {
  const texts: string[] = []
  let cause = error
  for (let depth = 0; cause instanceof Error && depth < 10; depth += 1) {
    if ('details' in cause && typeof cause.details === 'string') texts.push(cause.details)
    else texts.push(cause.message)
    cause = cause.cause
  }
  return texts.join('\n')
}
