import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** What the compiler says about a file and what it imports, in strict mode; nothing when it compiles. */
export function typeErrorsOf(file: string): Promise<string> {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const args = [
    compiler,
    // The repository's own settings are not what a stranger has.
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--target',
    'es2024',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
    file,
  ]
  return new Promise((resolve) => execFile(process.execPath, args, (_error, stdout, stderr) => resolve(stdout + stderr)))
}
