import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@turnpike/local'
import { until } from '@turnpike/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleImage } from './bundle-image.ts'
import { diskReads } from './disk-reads.ts'
import { imageNamed } from './images.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
// Two to five seconds; a busy machine has been seen to take a minute.
const BUNDLE_TIMEOUT_MS = 180_000
let folder: string
let running: ChildProcess | undefined

beforeAll(async () => {
  // Outside of the checkout: nothing of it is found by walking up.
  folder = await mkdtemp(join(tmpdir(), 'turnpike-bundle-'))
})
afterAll(async () => {
  running?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function bundled(name: string): Promise<string> {
  const out = join(folder, name)
  await bundleImage(imageNamed(name), { root, out })
  return out
}

describe('what an image runs', { timeout: BUNDLE_TIMEOUT_MS }, () => {
  it('is whole: the facilitator starts from a folder of its own, answers, and ends on SIGTERM', async () => {
    const out = await bundled('facilitator')
    const internalPort = String(await freePort())
    const env = {
      PORT: '0',
      HOST: '127.0.0.1',
      INTERNAL_PORT: internalPort,
      CHAIN_RPC_URL: 'http://127.0.0.1:9',
      SIGNER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
    }
    running = spawn(process.execPath, ['--enable-source-maps', join(out, 'main.mjs')], { cwd: out, env, stdio: 'ignore' })
    const healthcheck = () =>
      run(process.execPath, [join(out, 'healthcheck.mjs')], { env }).then(
        () => true,
        () => running?.exitCode !== null,
      )
    await until('the facilitator answers', healthcheck)
    expect(running.exitCode).toBeNull()
    const exited = once(running, 'exit')
    running.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })

  it('brings what the gateway reads from disk, its thread and its native packages', async () => {
    const out = await bundled('gateway')
    for (const file of [
      'body-reader-thread.mjs',
      'services/gateway/src/docs/assets/page.js',
      'services/gateway/src/docs/snippets/curl.txt',
      'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
      'node_modules/piscina/dist/worker.js',
      'node_modules/secp256k1/bindings.js',
    ])
      expect([file, existsSync(join(out, file))]).toEqual([file, true])
    const { stderr } = await run(process.execPath, [join(out, 'main.mjs')], { env: {}, cwd: out }).catch((error) => error)
    // All of its modules were loaded, the native one too, before it asked for its variables.
    expect(stderr).toMatch(/^gateway cannot start, its configuration has/)
    expect(JSON.parse(await readFile(join(out, 'packages.json'), 'utf8'))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^express@5/)]),
    )
  })

  it('finds every file and folder that a module reads beside itself', () => {
    const listed = Object.entries(diskReads).flatMap(([module, { files = [] }]) => [module, ...files])
    // The database client is generated.
    const missing = listed.filter((file) => !file.includes('/generated/') && !existsSync(join(root, file)))
    expect(missing).toEqual([])
  })
})
