import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The bytes of a recorded answer of the wire. Development only. */
export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', `${name}.json`))
}
