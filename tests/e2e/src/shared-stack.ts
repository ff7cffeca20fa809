import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type StackParts, startStack, startStackParts } from '@turnpike/local'
import type { TestProject } from 'vitest/node'
import { openOtlpReceiver } from './otlp-receiver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    stackHome: string
    /** Of the parts that the stack did not start itself. */
    partPids: StackParts['pids']
    /** What the collector of the stack's traces took, a line per request. */
    spansFile: string
  }
}

/** One stack for all stack tests: two gateways, everything else once, on a home of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'turnpike-e2e-'))
  const startedAt = Date.now()
  const spansFile = join(home, 'spans.jsonl')
  const collector = await openOtlpReceiver(spansFile)
  console.log('   starting a stack of its own for the stack tests')
  const parts = await startStackParts(home)
  const handle = await startStack({
    home,
    port: await freePort(),
    replicas: 'gateway=2',
    env: {
      ...parts.env,
      GEMINI_API_KEY: undefined,
      ELEVENLABS_API_KEY: undefined,
      TURNPIKE_BLOCK_TIME: undefined,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    },
  })
  console.log(`   stack ready (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`)
  project.provide('stackHome', home)
  project.provide('partPids', parts.pids)
  project.provide('spansFile', spansFile)
  return async () => {
    await handle.stop()
    await parts.stop()
    await collector.close()
    rmSync(home, { recursive: true, force: true })
  }
}
