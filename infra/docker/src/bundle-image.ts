import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { copyPackage, packageOf, versionOf } from './copy-package.ts'
import { type DiskRead, keptPackages } from './disk-reads.ts'
import type { Image } from './images.ts'
import { type Found, ownPlace, threadName } from './own-place.ts'

// CommonJS packages inside of the bundle ask for Node's own modules by `require`.
const REQUIRE = `import { createRequire as requireOfTheBundle } from 'node:module'; const require = requireOfTheBundle(import.meta.url);`

/**
 * Writes everything that an image runs into `out`: one file per program and thread, what they read from disk under its old path, and the
 * packages that stay packages. Needs the installed workspace and the generated database client, and nothing of them afterwards.
 */
export async function bundleImage(image: Image, { root, out }: { readonly root: string; readonly out: string }): Promise<void> {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const found: Found = { threads: new Set(), reads: new Map() }
  const inputs: Metafile['inputs'][] = []
  const waiting = new Map(Object.entries(image.entries))
  for (const [name, entry] of waiting) {
    inputs.push(await bundle({ root, out, name, entry, found }))
    for (const thread of found.threads) if (!waiting.has(threadName(thread))) waiting.set(threadName(thread), thread)
  }
  const modules = inputs.flatMap((each) => Object.keys(each))
  await copyReads(found.reads, { root, out })
  for (const [from, name] of keptOf(inputs)) await copyPackage(name, { from: join(root, from), into: out })
  await writeFile(join(out, 'packages.json'), `${JSON.stringify(packagesIn(modules, root), null, 1)}\n`)
}

async function bundle(job: { root: string; out: string; name: string; entry: string; found: Found }) {
  const { root, out, name, entry, found } = job
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: { [name]: entry },
    outdir: out,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: [...keptPackages],
    banner: { js: REQUIRE },
    // Lines and names of the sources in stack traces; the sources themselves stay at home.
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    legalComments: 'eof',
    logLevel: 'error',
    plugins: [ownPlace(root, found)],
  })
  const problem = warnings.find((warning) => warning.id !== 'empty-import-meta')
  if (problem !== undefined) throw new Error(`${problem.text} (${problem.location?.file}:${problem.location?.line})`)
  return metafile.inputs
}

async function copyReads(reads: ReadonlyMap<string, DiskRead>, { root, out }: { root: string; out: string }): Promise<void> {
  for (const [module, { files = [], packages = [] }] of reads) {
    for (const file of files) {
      await mkdir(dirname(join(out, file)), { recursive: true })
      await cp(join(root, file), join(out, file), { recursive: true })
    }
    for (const { name, only } of packages) await copyPackage(name, { from: join(root, module), into: out, only })
  }
}

/** Which module imports which of the packages that stay packages. */
function keptOf(inputs: readonly Metafile['inputs'][]): [string, string][] {
  return inputs
    .flatMap((each) => Object.entries(each))
    .flatMap(([from, { imports }]) =>
      imports
        .filter(({ path, external }) => external === true && keptPackages.includes(path))
        .map(({ path }) => [from, path] as const),
    )
    .map(([from, path]) => [from, path])
}

/** Names and versions of what went into the bundle: a scanner sees no node_modules. */
function packagesIn(modules: readonly string[], root: string): string[] {
  const found = modules.map((module) => packageOf(join(root, module))).filter((each) => each !== undefined)
  return [...new Set(found.map(({ name, folder }) => `${name}@${versionOf(folder)}`))].sort()
}
