import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GivenPart, partFolder } from '@turnpike/local'
import { inject } from 'vitest'

/**
 * The files of a part of the shared stack (kafka, redis, postgres, s3) that hold one of these, as they lie on its disk. Files come and go
 * while a part runs: what is gone when it is read holds nothing.
 */
export function filesHolding(part: GivenPart, needles: readonly (string | Buffer)[]): string[] {
  const files = filesUnder(partFolder(inject('stackHome'), part))
  if (files.length === 0) throw new Error(`${part} keeps no file: nothing was looked at`)
  return files.filter((file) => {
    const bytes = unlessGone(() => readFileSync(file), Buffer.alloc(0))
    return needles.some((needle) => bytes.includes(needle))
  })
}

function filesUnder(folder: string): string[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesUnder(path)
    // Kafka's indexes hold offsets and nothing else, in ten megabytes each.
    return entry.isFile() && !/\.(time)?index$/.test(entry.name) ? [path] : []
  })
}

function unlessGone<T>(read: () => T, gone: T): T {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return gone
    throw error
  }
}
