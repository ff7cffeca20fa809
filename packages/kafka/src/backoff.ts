/**
 * Milliseconds before the next try after `failures` failures: doubles from `initialMs` up to `maxMs`. Half of it is random,
 * so that what failed together does not come back together.
 */
export function backoffMs(failures: number, { initialMs, maxMs }: { initialMs: number; maxMs: number }): number {
  const ceiling = Math.min(maxMs, initialMs * 2 ** Math.min(failures - 1, 30))
  return ceiling / 2 + (Math.random() * ceiling) / 2
}
