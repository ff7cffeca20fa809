import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const USELESS = /\.(map|md|[cm]?ts|c|cc|h|gypi?|yml)$|(^|\/)(tests?|test-jest|docs|benchmark|examples)(\/|$)/

/**
 * Copies a package and what it depends on into one flat node_modules. Throws when two versions of one package would meet there.
 * `only` keeps the named files of the package and leaves its dependencies out: somebody reads them, nobody runs it.
 */
export async function copyPackage(
  name: string,
  options: { readonly from: string; readonly into: string; readonly only?: readonly string[] | undefined },
): Promise<void> {
  const folder = folderOf(name, options.from)
  if (folder === undefined) throw new Error(`${name} is not installed for ${options.from}.`)
  const manifest = manifestOf(folder)
  const target = join(options.into, 'node_modules', name)
  if (existsSync(target)) {
    const there = manifestOf(target).version
    if (there !== manifest.version) throw new Error(`${name} is wanted as ${there} and as ${manifest.version}.`)
    return
  }
  const { only } = options
  const isWanted = (file: string) => {
    const path = relative(folder, file).split(sep).join('/')
    if (path === '' || path === 'package.json') return true
    if (path === 'node_modules') return false
    return only === undefined ? !USELESS.test(path) : only.some((each) => each === path || each.startsWith(`${path}/`))
  }
  await cp(folder, target, { recursive: true, filter: isWanted })
  if (only !== undefined) return
  const optional = Object.keys(manifest.optionalDependencies ?? {})
  for (const dependency of [...Object.keys(manifest.dependencies ?? {}), ...optional]) {
    const isThere = folderOf(dependency, folder) !== undefined
    // Those of other platforms are not installed.
    if (isThere || !optional.includes(dependency)) await copyPackage(dependency, { from: join(folder, 'x'), into: options.into })
  }
}

/** By walking up, as Node does: `exports` may hide a package's package.json from `require.resolve`. */
function folderOf(name: string, from: string): string | undefined {
  const folders = createRequire(from).resolve.paths(name) ?? []
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, 'package.json')))
  return found === undefined ? undefined : realpathSync(found)
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The folder of a package that a bundle took a file from, and its name: the part of the path after the last node_modules. */
export function packageOf(file: string): { readonly name: string; readonly folder: string } | undefined {
  const match = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//.exec(file)
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { name: match[2], folder: dirname(`${match[1]}${match[2]}/x`) }
}

export function versionOf(folder: string): string {
  return manifestOf(folder).version
}
