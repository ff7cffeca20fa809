import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, type SourceFile, sourceFiles } from './source-files.ts'

const isTest = (file: SourceFile) => file.path.endsWith('.test.ts') || file.path.includes('/testing/')
const files = sourceFiles('services', 'packages', 'infra', 'tests')
const product = files.filter((file) => !isTest(file))

function offenders(inFolder: string, isForbidden: (specifier: string) => boolean, among = product): string[] {
  return among
    .filter((file) => file.path.startsWith(inFolder))
    .flatMap((file) => file.imports.filter(isForbidden).map((specifier) => `${file.path} imports ${specifier}`))
}

/** Relative imports that end in another workspace than the file's own. */
function leadsOutside(file: SourceFile): string[] {
  const workspaceOf = (path: string) => path.split('/').slice(0, 2).join('/')
  return file.imports
    .filter((specifier) => specifier.startsWith('.'))
    .filter((specifier) => workspaceOf(posix.join(posix.dirname(file.path), specifier)) !== workspaceOf(file.path))
    .map((specifier) => `${file.path} imports ${specifier}`)
}

const IO = /^(node:)?(fs|net|http|https|http2|dns|child_process|cluster|dgram|tls|worker_threads|fs\/promises)$/

describe('imports', () => {
  it('are found at all', () => {
    expect(product.flatMap((file) => file.imports).length).toBeGreaterThan(200)
  })

  it('never lead to a service', () => {
    const services = readdirSync(join(ROOT, 'services')).map((name) => `@turnpike/${name}`)
    expect(offenders('', (specifier) => services.includes(specifier), files)).toEqual([])
  })

  it('never leave their workspace by a path', () => {
    expect(files.flatMap(leadsOutside)).toEqual([])
  })

  it('would be caught leaving it', () => {
    const from = (path: string, specifier: string) => leadsOutside({ path, text: '', lines: 1, imports: [specifier] })
    expect(from('services/gateway/src/paid/x.ts', '../../../ledger/src/lookup.ts')).toHaveLength(1)
    expect(from('packages/payments/src/x.ts', '../../kafka/src/index.ts')).toHaveLength(1)
    expect(from('services/gateway/src/x.ts', '../../../packages/kafka/src/index.ts')).toHaveLength(1)
    expect(from('services/gateway/src/x.ts', '../../index.ts')).toHaveLength(1)
    expect(from('services/gateway/src/paid/deep/x.ts', '../../http/y.ts')).toEqual([])
  })

  it('take providers into workers only', () => {
    const others = product.filter(
      (file) => !/^services\/[a-z]+-worker\//.test(file.path) && !file.path.startsWith('packages/providers/'),
    )
    expect(offenders('', (specifier) => specifier === '@turnpike/providers', others)).toEqual([])
  })

  it('keep contracts and mp3 free of ours, and contracts, catalog and mp3 free of I/O', () => {
    for (const folder of ['packages/contracts/', 'packages/mp3/']) {
      expect(offenders(folder, (specifier) => specifier.startsWith('@turnpike/'))).toEqual([])
    }
    for (const folder of ['packages/contracts/', 'packages/catalog/', 'packages/mp3/']) {
      expect(
        offenders(
          folder,
          (specifier) => IO.test(specifier) || ['undici', 'ioredis', 'kafkajs', 'express', 'viem', 'pg'].includes(specifier),
        ),
      ).toEqual([])
    }
  })

  it('keep the local stack, the sandbox and the test kit out of the product', () => {
    const shipped = product.filter(
      (file) => /^(services|packages)\//.test(file.path) && !file.path.startsWith('packages/testing/'),
    )
    expect(
      offenders('', (specifier) => ['@turnpike/local', '@turnpike/sandbox', '@turnpike/testing'].includes(specifier), shipped),
    ).toEqual([])
  })

  it('name only packages that the importing workspace declares', () => {
    const undeclared = files.flatMap((file) => {
      const folder = /^(services|packages|infra|tests)\/[^/]+/.exec(file.path)?.[0]
      if (folder === undefined) return []
      const manifest = manifestOf(folder)
      if (manifest === undefined) return []
      const declared = new Set([
        ...Object.keys(manifest.dependencies ?? {}),
        ...Object.keys(manifest.devDependencies ?? {}),
        manifest.name,
        'vitest',
      ])
      return file.imports
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map((specifier) =>
          specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? ''),
        )
        .filter((name) => /^(@[a-z0-9-]+\/)?[a-z0-9.-]+$/.test(name) && !declared.has(name))
        .map((name) => `${file.path} imports ${name}`)
    })
    expect(undeclared).toEqual([])
  })

  it('name environment variables in config.ts only', () => {
    const shipped = product.filter((file) => /^services\//.test(file.path))
    const readers = shipped.filter(
      (file) => /process\.env\b/.test(file.text) && !/(\/|\.)(main|config|migrate)\.ts$/.test(file.path),
    )
    expect(readers.map((file) => file.path)).toEqual([])
  })
})

type Manifest = { name: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> }

function manifestOf(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}
