import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Runs what a reader would paste, in a folder of its own where the packages that it names are installed, beside `files`. Returns what it
 * printed.
 */
export async function runSnippet(
  id: string,
  code: string,
  env: Record<string, string>,
  files: Record<string, string> = {},
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpike-snippet-'))
  try {
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
    const file = join(folder, id === 'curl' ? 'try.sh' : 'try.mjs')
    writeFileSync(file, code)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return await outputOf(id === 'curl' ? 'sh' : process.execPath, file, { cwd: folder, env })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function outputOf(program: string, file: string, where: { cwd: string; env: Record<string, string> }): Promise<string> {
  const { cwd, env } = where
  return new Promise((resolve, reject) => {
    execFile(program, [file], { cwd, env: { ...process.env, ...env }, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${stdout}${stderr}`))
    })
  })
}
