import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomically } from '../write-atomically.ts'

/** A secret made once and kept beside the data that it opens; only its owner may read it. */
export function keptSecret<Secret>(file: string, make: () => Secret): Secret {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Secret
  const secret = make()
  mkdirSync(dirname(file), { recursive: true })
  writeAtomically(file, secret)
  return secret
}
