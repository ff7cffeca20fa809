import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startStack } from '@turnpike/local'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    stackHome: string
  }
}

/** One stack for all stack tests: two gateways, everything else once, on a home of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'turnpike-e2e-'))
  const startedAt = Date.now()
  console.log('   starting a stack of its own for the stack tests')
  const handle = await startStack({
    home,
    port: await freePort(),
    replicas: 'gateway=2',
    env: { GEMINI_API_KEY: undefined, ELEVENLABS_API_KEY: undefined, TURNPIKE_BLOCK_TIME: undefined },
  })
  console.log(`   stack ready (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  project.provide('stackHome', home)
  return async () => {
    await handle.stop()
    rmSync(home, { recursive: true, force: true })
  }
}
