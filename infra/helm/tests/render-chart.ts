import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { obtainHelm } from '@turnpike/local/chart-tools'
import { parseAllDocuments, stringify } from 'yaml'
import type { Manifest } from './manifest.ts'

export const CHART = join(import.meta.dirname, '../turnpike')
export const REQUIRED = join(import.meta.dirname, 'required.yaml')
export const EVERYTHING = join(import.meta.dirname, 'everything.yaml')

export const quietly = { say: () => {}, signal: new AbortController().signal }
const run = promisify(execFile)
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

let program: Promise<string> | undefined

/** What helm prints; rejects with what it complains of. */
export async function helm(...args: string[]): Promise<string> {
  program ??= obtainHelm(quietly)
  const { stdout } = await run(await program, args, { maxBuffer: MAX_OUTPUT_BYTES })
  return stdout
}

export type Values = { [name: string]: unknown }

/** The manifests of files of values (required.yaml where none is named) and of `values` on top. */
export async function renderText(values: Values = {}, files: readonly string[] = [REQUIRED]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-values-'))
  try {
    const own = join(folder, 'values.yaml')
    await writeFile(own, stringify(values))
    const named = [...files, own].flatMap((file) => ['--values', file])
    return await helm('template', 'shop', CHART, '--namespace', 'pay', ...named)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Rendered once for the files that ask for the same. */
const rendered = new Map<string, Promise<Manifest[]>>()

export function render(values: Values = {}, files: readonly string[] = [REQUIRED]): Promise<Manifest[]> {
  const key = JSON.stringify([values, files])
  const manifests = rendered.get(key) ?? renderText(values, files).then(manifestsIn)
  rendered.set(key, manifests)
  return manifests
}

/** Read as Kubernetes reads it, by the rules of YAML 1.1. */
export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`not YAML: ${document.errors[0]?.message}`)
    const manifest = document.toJS() as Manifest | null
    return manifest === null ? [] : [manifest]
  })
}
