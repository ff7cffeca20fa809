import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Plugin } from 'esbuild'
import { type DiskRead, diskReads } from './disk-reads.ts'

const THREAD = /new URL\('(\.[^']*\.ts)', import\.meta\.url\)/g

/** What the modules of a bundle want besides themselves. */
export interface Found {
  /** Threads that are started by a file of their own: its path, from the checkout's root. */
  readonly threads: Set<string>
  readonly reads: Map<string, DiskRead>
}

/**
 * Modules that look for files beside themselves keep their place: `import.meta.url` of services/a/src/b.ts becomes that path below the
 * folder of the bundle. A module that does so and is not in the table ends the build: what it reads would be missing in the image.
 */
export function ownPlace(root: string, found: Found): Plugin {
  return {
    name: 'own place',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path)
        if (file.startsWith('..') || file.includes('node_modules')) return undefined
        const text = await readFile(path, 'utf8')
        if (!text.includes('import.meta.')) return undefined
        const read = diskReads[file]
        if (read === undefined) throw new Error(`${file} uses import.meta: say in disk-reads.ts what it reads.`)
        found.reads.set(file, read)
        return { contents: placed(text, file, found.threads), loader: 'ts' }
      })
    },
  }
}

function placed(text: string, file: string, threads: Set<string>): string {
  return text
    .replace(THREAD, (_whole, thread: string) => {
      threads.add(join(dirname(file), thread))
      return `new URL('./${threadName(thread)}.mjs', THIS_BUNDLE)`
    })
    .replaceAll('import.meta.url', `new URL('./${file}', THIS_BUNDLE).href`)
    .replaceAll('import.meta.dirname', `new URL('./${dirname(file)}', THIS_BUNDLE).pathname`)
    .replaceAll('THIS_BUNDLE', 'import.meta.url')
}

export function threadName(file: string): string {
  return basename(file, '.ts')
}
