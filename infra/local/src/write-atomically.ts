import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'

/** A reader sees the file before or after, never in between; only its owner may read it. */
export function writeAtomically(file: string, content: unknown): void {
  const draft = `${file}.${process.pid}.draft`
  const handle = openSync(draft, 'w', 0o600)
  try {
    writeSync(handle, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}
