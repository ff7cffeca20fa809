import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const ROOT = resolve(import.meta.dirname, '../../..')

const SKIPPED = new Set(['node_modules', 'generated', 'dist', '.local', '.toolchain', '.turbo', '.git', 'results'])

export type SourceFile = { path: string; text: string; lines: number; imports: string[] }

/** Every TypeScript file of ours under the given top-level folders; paths relative to the root. */
export function sourceFiles(...folders: string[]): SourceFile[] {
  return folders.flatMap((folder) => walk(join(ROOT, folder))).map(read)
}

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (SKIPPED.has(name)) return []
    if (statSync(path).isDirectory()) return walk(path)
    return /\.(ts|mts|mjs)$/.test(name) ? [path] : []
  })
}

const IMPORTS = [
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*['"]([^'"]+)['"]/gm,
  /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
]

function read(path: string): SourceFile {
  const text = readFileSync(path, 'utf8')
  const imports = IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''))
  return { path: relative(ROOT, path), text, lines: text.split('\n').length - 1, imports }
}
