import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts'

export type Lock<Note> =
  | { readonly held: true; release(): void }
  | { readonly held: false; readonly owner: ProcessIdentity & Note }

/**
 * Takes a lock that names its owner. A hard link to a finished file is what takes it, so nobody ever reads a half-written owner;
 * an owner that no longer runs holds nothing.
 */
export function tryLock<Note extends object>(file: string, note: Note): Lock<Note> {
  const self = { ...identify(process.pid), ...note }
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(self)}\n`, { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        linkSync(draft, file)
        return { held: true, release: () => rmSync(file, { force: true }) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const owner = ownerOf<Note>(file)
      if (owner !== undefined) return { held: false, owner }
      rmSync(file, { force: true })
    }
    throw new Error(`The lock ${file} changes hands too fast.`)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The living owner of a lock. */
export function ownerOf<Note extends object>(file: string): (ProcessIdentity & Note) | undefined {
  try {
    const owner = JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity & Note
    return isAlive(owner) ? owner : undefined
  } catch {
    return undefined
  }
}
