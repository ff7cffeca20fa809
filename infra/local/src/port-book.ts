import { existsSync, readFileSync } from 'node:fs'
import { writeAtomically } from './write-atomically.ts'

export type PortBook = Readonly<Record<string, number>>

export interface PortDeps {
  readonly isFree: (port: number) => Promise<boolean>
  readonly pick: (taken: ReadonlySet<number>) => Promise<number>
}

/**
 * A port for every name: the one it had before while that is free, a fresh one otherwise. Names that are not asked for this time keep
 * theirs, so a part that comes back later is where it was.
 */
export async function assignPorts(
  deps: PortDeps,
  before: PortBook,
  names: readonly string[],
  reserved: readonly number[],
): Promise<PortBook> {
  const book: Record<string, number> = {}
  const taken = new Set(reserved)
  for (const name of names) {
    const kept = before[name]
    if (kept === undefined || taken.has(kept) || !(await deps.isFree(kept))) continue
    book[name] = kept
    taken.add(kept)
  }
  for (const [name, port] of Object.entries(before)) if (!names.includes(name)) taken.add(port)
  for (const name of names) {
    if (book[name] !== undefined) continue
    const port = await deps.pick(taken)
    book[name] = port
    taken.add(port)
  }
  return { ...before, ...book }
}

export function readPortBook(file: string): PortBook {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PortBook) : {}
}

export function writePortBook(file: string, book: PortBook): void {
  writeAtomically(file, book)
}

export function portOf(book: PortBook, name: string): number {
  const port = book[name]
  if (port === undefined) throw new Error(`No port was assigned to ${name}.`)
  return port
}
